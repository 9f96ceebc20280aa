import * as v from "valibot";
import { PageQuery, Total } from "./page.ts";
import { Id, Name, Timestamp, trimmed } from "./scalars.ts";

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

/** Dollars and whole cents: nothing, or what Stripe can charge, which is 50 cents and more. */
const Price = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(999_999),
  v.check((dollars) => Math.round(dollars * 100) / 100 === dollars, "must be whole cents"),
  v.check((dollars) => dollars === 0 || dollars >= 0.5, "must be 0 or at least 0.5"),
);
const Position = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000));
const TrialDays = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(730));
const Badge = v.nullable(trimmed(1, 40));

export const TierCreate = v.strictObject({
  tier: v.strictObject({
    name: Name,
    badge: v.optional(Badge, null),
    /** One more than the highest of the community where absent. */
    position: v.optional(Position),
    monthly_price_dollars: Price,
    trial_days: v.optional(TrialDays, 0),
    requires_shipping_address: v.optional(v.boolean(), false),
  }),
});
export type TierCreate = v.InferOutput<typeof TierCreate>;

/** A new price is for new members only; an archived tier is closed to new ones. */
export const TierUpdate = v.strictObject({
  tier: v.strictObject({
    name: v.optional(Name),
    badge: v.optional(Badge),
    position: v.optional(Position),
    monthly_price_dollars: v.optional(Price),
    trial_days: v.optional(TrialDays),
    requires_shipping_address: v.optional(v.boolean()),
    status: v.optional(Tier.entries.status),
  }),
});
export type TierUpdate = v.InferOutput<typeof TierUpdate>;

/** How many tiers a community may have. */
export const maxTiers = 50;

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
