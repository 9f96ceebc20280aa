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
  summary: "List the benefits of a community",
  access: "owner",
  query: BenefitListQuery,
  output: BenefitPage,
  table: "read",
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/benefits",
  summary: "Create a benefit, and optionally assign it to tiers",
  access: "owner",
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
  summary: "Show a benefit",
  access: "owner",
  output: Benefit,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/benefits/{id}",
  summary: "Edit a benefit",
  access: "owner",
  body: BenefitUpdate,
  output: Benefit,
  etag: true,
  problems: ["unknown_tier", "limit_reached"],
  table: "write",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/benefits/{id}",
  summary: "Delete a benefit",
  access: "owner",
  status: 204,
  record: Benefit,
  table: "write",
} as const satisfies Route;

export const archive = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/archive",
  summary: "Archive a benefit, so that members no longer see it",
  description: "Idempotent.",
  access: "owner",
  body: Nothing,
  output: Benefit,
  etag: true,
  table: "write",
} as const satisfies Route;

export const activate = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/activate",
  summary: "Activate an archived benefit, so that members see it again",
  description: "Idempotent.",
  access: "owner",
  body: Nothing,
  output: Benefit,
  etag: true,
  table: "write",
} as const satisfies Route;

export const assignToTiers = {
  method: "POST",
  path: "/odis/v1/benefits/{id}/assign_to_tiers",
  summary: "Set the tiers that a benefit is assigned to",
  access: "owner",
  body: TierAssignment,
  output: Benefit,
  etag: true,
  problems: ["unknown_tier", "limit_reached"],
  table: "write",
} as const satisfies Route;
