import {
  Benefit,
  BenefitCreate,
  BenefitListQuery,
  BenefitPage,
  BenefitUpdate,
  TierAssignment,
} from "../domain/benefit.ts";
import { Nothing } from "../domain/cancellation.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/benefits",
  access: "owner",
  right: "catalog_read",
  query: BenefitListQuery,
  output: BenefitPage,
  table: "read",
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/benefits",
  access: "owner",
  right: "catalog_write",
  body: BenefitCreate,
  status: 201,
  output: Benefit,
  location: "/odis/v1/benefits/{id}",
  etag: true,
  problems: ["unknown_tier", "limit_reached"],
  table: "write",
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/benefits/{id}",
  access: "owner",
  right: "catalog_read",
  output: Benefit,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/benefits/{id}",
  access: "owner",
  right: "catalog_write",
  body: BenefitUpdate,
  output: Benefit,
  etag: true,
  problems: ["unknown_tier", "limit_reached"],
  table: "write",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/benefits/{id}",
  access: "owner",
  right: "catalog_write",
  status: 204,
  record: Benefit,
  table: "write",
} as const satisfies Route;

export const archive = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/archive",
  access: "owner",
  right: "catalog_write",
  body: Nothing,
  output: Benefit,
  etag: true,
  table: "write",
} as const satisfies Route;

export const activate = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/activate",
  access: "owner",
  right: "catalog_write",
  body: Nothing,
  output: Benefit,
  etag: true,
  table: "write",
} as const satisfies Route;

export const assignToTiers = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/assign_to_tiers",
  access: "owner",
  right: "catalog_write",
  body: TierAssignment,
  output: Benefit,
  etag: true,
  problems: ["unknown_tier", "limit_reached"],
  table: "write",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: "List the benefits of a community",
  create: "Create a benefit, and optionally assign it to tiers",
  show: "Show a benefit",
  update: "Edit a benefit",
  remove: "Delete a benefit",
  archive: ["Archive a benefit, so that members no longer see it", "Idempotent."],
  activate: ["Activate an archived benefit, so that members see it again", "Idempotent."],
  assignToTiers: "Set the tiers that a benefit is assigned to",
} as const;
