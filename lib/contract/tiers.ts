import { Tier, TierCreate, TierListQuery, TierPage, TierUpdate } from "../domain/tier.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/tiers",
  access: "optional",
  query: TierListQuery,
  output: TierPage,
  table: "read",
  partitions: ["communities", "nobody", "subjects"],
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/tiers",
  access: "owner",
  right: "catalog_write",
  body: TierCreate,
  status: 201,
  output: Tier,
  location: "/odis/v1/tiers/{id}",
  etag: true,
  problems: ["limit_reached"],
  table: "write",
  billing: "write",
  limited: "processor",
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/tiers/{id}",
  access: "optional",
  output: Tier,
  etag: true,
  table: "read",
  partitions: ["communities", "tierParents", "nobody", "subjects"],
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/tiers/{id}",
  access: "owner",
  right: "catalog_write",
  body: TierUpdate,
  output: Tier,
  etag: true,
  table: "write",
  billing: "write",
  limited: "processor",
  limitedFor: { in: "tier", fields: ["name", "monthly_price_dollars", "yearly_price_dollars"] },
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/tiers/{id}",
  access: "owner",
  right: "catalog_write",
  status: 204,
  record: Tier,
  problems: ["tier_in_use"],
  table: "write",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: "List the membership tiers of a community",
  create: "Create a membership tier, with its product and prices in Stripe",
  show: "Show a membership tier",
  update: "Edit a membership tier; a new price applies to new members only",
  remove: [
    "Delete a membership tier that was never used",
    "A tier cannot be deleted once a checkout has been opened for it, or while a member or benefit refers to it. Archive it instead.",
  ],
} as const;
