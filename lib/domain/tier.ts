import * as v from "valibot";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { tierFields } from "../fields/tier.ts";
import { Problem, validationFailed } from "../problem.ts";
import { integer, oneOf, rule } from "../values/scalars.ts";
import { Name, shownText } from "../values/shown.ts";
import { PageQuery, Total } from "./page.ts";

export const Tier = v.object(shownEntries(tierFields, "api"));
export type Tier = v.InferOutput<typeof Tier>;

/** A tier without its benefits and the sequence of its events. */
export const TierFields = v.omit(Tier, ["benefits", "sequence"]);
export type TierFields = v.InferOutput<typeof TierFields>;

/** A tier without the fields that are hidden from the public. */
export const forPublic = <T extends TierFields>(tier: T): T => ({
  ...tier,
  stripe_price_id: null,
  yearly_stripe_price_id: null,
});

const isWholeCents = (dollars: number): boolean => Math.round(dollars * 100) / 100 === dollars;

/** Dollars in whole cents: 0, or at least the 50 cents that Stripe can charge. */
const Price = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(999_999),
  rule("invalid_format", isWholeCents, "must be whole cents"),
  rule("too_small", (dollars: number) => dollars === 0 || dollars >= 0.5, "must be 0 or at least 0.5"),
  v.metadata({ multipleOf: 0.01, not: { exclusiveMinimum: 0, exclusiveMaximum: 0.5 } }),
);
const YearlyPrice = v.nullable(
  v.pipe(
    v.number(),
    v.minValue(0.5),
    v.maxValue(999_999),
    rule("invalid_format", isWholeCents, "must be whole cents"),
    v.metadata({ multipleOf: 0.01 }),
  ),
);
const Position = integer(0, 1_000_000);
const TrialDays = integer(0, 730);
const Badge = v.nullable(shownText(1, 40));

export const TierCreate = v.strictObject({
  tier: v.strictObject({
    name: Name,
    badge: v.optional(Badge, null),
    position: v.optional(Position),
    monthly_price_dollars: Price,
    yearly_price_dollars: v.optional(YearlyPrice, null),
    trial_days: v.optional(TrialDays, 0),
    requires_shipping_address: v.optional(v.boolean(), false),
  } satisfies EntriesSetBy<typeof tierFields, "post">),
});
export type TierCreate = v.InferOutput<typeof TierCreate>;

/** A new price applies to new members only. An archived tier accepts no new members. */
export const TierUpdate = v.strictObject({
  tier: v.strictObject({
    name: v.optional(Name),
    badge: v.optional(Badge),
    position: v.optional(Position),
    monthly_price_dollars: v.optional(Price),
    yearly_price_dollars: v.optional(YearlyPrice),
    trial_days: v.optional(TrialDays),
    requires_shipping_address: v.optional(v.boolean()),
    status: v.optional(Tier.entries.status),
  } satisfies EntriesSetBy<typeof tierFields, "patch">),
});
export type TierUpdate = v.InferOutput<typeof TierUpdate>;

/** @throws Problem `validation_failed` if a free tier has a yearly price */
export function assertPrices({
  monthly_price_dollars,
  yearly_price_dollars,
}: Pick<Tier, "monthly_price_dollars" | "yearly_price_dollars">): void {
  if (monthly_price_dollars > 0 || yearly_price_dollars === null) return;
  throw validationFailed([
    {
      pointer: "/tier/yearly_price_dollars",
      code: "not_allowed",
      message: "must be null, because the monthly price is 0",
    },
  ]);
}

/** Maximum number of tiers of a community. */
const maxTiers = 50;

/** @throws Problem `limit_reached` if the community has 50 tiers */
export function assertRoom(tiers: readonly TierFields[]): void {
  if (tiers.length >= maxTiers)
    throw new Problem("limit_reached", { detail: `A community has at most ${maxTiers} tiers` });
}

export const TierListQuery = v.object({
  ...PageQuery.entries,
  status: v.optional(oneOf(["active", "archived", "all"]), "active"),
});
export type TierListQuery = v.InferOutput<typeof TierListQuery>;

export const TierPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Tier),
});

/** Order of tiers: by position, then by id. */
export const byPosition = (a: TierFields, b: TierFields): number => a.position - b.position || a.id - b.id;
