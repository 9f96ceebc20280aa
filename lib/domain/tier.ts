import * as v from "valibot";
import { Problem } from "../problem.ts";
import { docsOf, documented } from "../values/documented.ts";
import { Id, integer, oneOf, rule, Timestamp } from "../values/scalars.ts";
import { Name, shownText } from "../values/shown.ts";
import { PageQuery, pageDocs, pageQueryDocs, Total } from "./page.ts";
import { timeDocs } from "./record.ts";

const tierDocs = {
  name: ["Name of the tier.", "Reserva"],
  badge: ["Badge of the tier's members in discovery. If `null`, the name is shown.", "Reserva"],
  position: ["Position among the tiers, lowest first. By default, a new tier goes last.", 1],
  monthly_price_dollars: [
    "Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only.",
    25,
  ],
  trial_days: ["Length of the free trial in days.", 0],
  requires_shipping_address: ["Whether checkout asks for a shipping address.", true],
  status: "An archived tier takes no new members.",
} as const;

/** A benefit as part of the tier that has it: what the public sees of benefits. */
const TierBenefit = documented(
  v.object({ id: Id, name: v.string(), position: v.number(), description: v.optional(v.string()) }),
  {
    id: ["Unique identifier of the benefit.", 21],
    name: ["Name of the benefit.", "A bottle each quarter"],
    position: ["Position among the benefits, lowest first.", 1],
    description: [
      "What members get. Only in the response to `GET /odis/v1/tiers/{id}`.",
      "Chosen by the maestro, sent to your door.",
    ],
  },
);

export const Tier = documented(
  v.object({
    id: Id,
    name: v.string(),
    badge: v.nullable(v.string()),
    position: v.number(),
    monthly_price_dollars: v.number(),
    trial_days: v.number(),
    requires_shipping_address: v.boolean(),
    stripe_price_id: v.nullable(v.string()),
    status: oneOf(["active", "archived"]),
    benefits: v.array(TierBenefit),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the tier.", 11],
    ...tierDocs,
    stripe_price_id: [
      "Identifier of the current price in Stripe. `null` without a token.",
      "price_1TUQmN2eZvKYlo2C5e6f7g8h",
    ],
    benefits: "Active benefits of the tier, by position. The ETag does not cover them.",
    ...timeDocs,
  },
);
export type Tier = v.InferOutput<typeof Tier>;

const { benefits: _, ...tierFieldDocs } = docsOf(Tier);

/** A tier by itself. */
export const TierFields = documented(v.omit(Tier, ["benefits"]), tierFieldDocs);
export type TierFields = v.InferOutput<typeof TierFields>;

/** What the public sees of a tier. */
export const forPublic = <T extends TierFields>(tier: T): T => ({ ...tier, stripe_price_id: null });

/** Dollars and whole cents: nothing, or what Stripe can charge, which is 50 cents and more. */
const Price = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(999_999),
  rule("invalid_format", (dollars: number) => Math.round(dollars * 100) / 100 === dollars, "must be whole cents"),
  rule("too_small", (dollars: number) => dollars === 0 || dollars >= 0.5, "must be 0 or at least 0.5"),
  v.metadata({ multipleOf: 0.01, not: { exclusiveMinimum: 0, exclusiveMaximum: 0.5 } }),
);
const Position = integer(0, 1_000_000);
const TrialDays = integer(0, 730);
const Badge = v.nullable(shownText(1, 40));

export const TierCreate = documented(
  v.strictObject({
    tier: documented(
      v.strictObject({
        name: Name,
        badge: v.optional(Badge, null),
        position: v.optional(Position),
        monthly_price_dollars: Price,
        trial_days: v.optional(TrialDays, 0),
        requires_shipping_address: v.optional(v.boolean(), false),
      }),
      tierDocs,
    ),
  }),
  { tier: "The new tier." },
);
export type TierCreate = v.InferOutput<typeof TierCreate>;

/** A new price is for new members only; an archived tier is closed to new ones. */
export const TierUpdate = documented(
  v.strictObject({
    tier: documented(
      v.strictObject({
        name: v.optional(Name),
        badge: v.optional(Badge),
        position: v.optional(Position),
        monthly_price_dollars: v.optional(Price),
        trial_days: v.optional(TrialDays),
        requires_shipping_address: v.optional(v.boolean()),
        status: v.optional(Tier.entries.status),
      }),
      tierDocs,
    ),
  }),
  { tier: "The fields to change. Omitted fields are left unchanged." },
);
export type TierUpdate = v.InferOutput<typeof TierUpdate>;

/** How many tiers a community may have. */
const maxTiers = 50;

/** @throws Problem `limit_reached` where a community has its 50 */
export function assertRoom(tiers: readonly TierFields[]): void {
  if (tiers.length >= maxTiers)
    throw new Problem("limit_reached", { detail: `A community has at most ${maxTiers} tiers` });
}

export const TierListQuery = documented(
  v.object({ ...PageQuery.entries, status: v.optional(oneOf(["active", "archived", "all"]), "active") }),
  { ...pageQueryDocs, status: "Only tiers with this status." },
);
export type TierListQuery = v.InferOutput<typeof TierListQuery>;

export const TierPage = documented(
  v.object({ total: Total, has_more: v.boolean(), page: v.number(), per: v.number(), data: v.array(Tier) }),
  pageDocs,
);

/** Tiers stand by position, then id. */
export const byPosition = (a: TierFields, b: TierFields): number => a.position - b.position || a.id - b.id;
