import * as v from "valibot";
import { PageQuery, Total } from "./page.ts";
import { Id, Timestamp } from "./scalars.ts";

export const Tier = v.object({
  id: Id,
  name: v.string(),
  /** Shown for a member in discovery; the name where none is set. */
  badge: v.nullable(v.string()),
  position: v.number(),
  monthly_price_dollars: v.number(),
  trial_days: v.number(),
  requires_shipping_address: v.boolean(),
  stripe_price_id: v.nullable(v.string()),
  status: v.picklist(["active", "archived"]),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Tier = v.InferOutput<typeof Tier>;

export const TierListQuery = v.object({
  ...PageQuery.entries,
  status: v.optional(v.picklist(["active", "archived", "all"]), "active"),
});
export type TierListQuery = v.InferOutput<typeof TierListQuery>;

export const TierPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Tier),
});

/** Tiers stand by position, then id. */
export const byPosition = (a: Tier, b: Tier): number => a.position - b.position || a.id - b.id;
