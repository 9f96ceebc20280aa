import type { SetBy, ShownIn } from "../fields/field.ts";
import { tierFields } from "../fields/tier.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import { sequenceDocs, timeDocs } from "./record-docs.ts";
import { Tier, TierCreate, TierFields, TierListQuery, TierPage, TierUpdate } from "./tier.ts";

type Described = ShownIn<typeof tierFields, "api"> | SetBy<typeof tierFields, "post" | "patch">;

/** What the documents say of the fields of a tier. */
export const tierDocs = {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
  badge: ["Badge of the tier's members in discovery. If `null`, the name is shown.", "Reserva"],
  position: ["Position among the tiers, lowest first. By default, a new tier goes last.", 1],
  monthly_price_dollars: [
    "Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only.",
    25,
  ],
  yearly_price_dollars: [
    "Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only.",
    250,
  ],
  trial_days: ["Length of the free trial in days. Has no effect while the monthly price is 0.", 0],
  requires_shipping_address: ["Whether checkout asks for a shipping address.", true],
  stripe_price_id: [
    "Identifier of the current price in Stripe. `null` without a token.",
    "price_1TUQmN2eZvKYlo2C5e6f7g8h",
  ],
  yearly_stripe_price_id: [
    "Identifier of the current yearly price in Stripe. `null` if there is none, and without a token.",
    "price_1TUQmN2eZvKYlo2Cy9f6e5a3",
  ],
  status: "An archived tier takes no new members.",
  benefits: "Active benefits of the tier, by position. They change the ETag, but `If-Match` ignores them.",
  sequence: sequenceDocs("tier"),
  ...timeDocs,
} as const satisfies Record<Described, FieldDoc>;

/** The same for events, which are sent to the owner. */
export const eventTierDocs = {
  ...tierDocs,
  stripe_price_id: [
    "Identifier of the current price in Stripe. `null` if there is none.",
    "price_1TUQmN2eZvKYlo2C5e6f7g8h",
  ],
  yearly_stripe_price_id: [
    "Identifier of the current yearly price in Stripe. `null` if there is none.",
    "price_1TUQmN2eZvKYlo2Cy9f6e5a3",
  ],
} as const satisfies Record<ShownIn<typeof tierFields, "event">, FieldDoc>;

describeFields(Tier, tierDocs);
describeFields(TierFields, tierDocs);
describeFields(TierCreate, { tier: "The new tier." });
describeFields(TierCreate.entries.tier, tierDocs);
describeFields(TierUpdate, { tier: "The fields to change. Omitted fields are left unchanged." });
describeFields(TierUpdate.entries.tier, tierDocs);
describeFields(TierListQuery, { ...pageQueryDocs, status: "Only tiers with this status." });
describeFields(TierPage, pageDocs);

describeFields(tierFields.benefits.made.item, {
  id: ["Unique identifier of the benefit.", 21],
  name: ["Name of the benefit.", "A bottle each quarter"],
  position: ["Position among the benefits, lowest first.", 1],
  description: [
    "What members get. Only in the response to `GET /odis/v1/tiers/{id}`.",
    "Chosen by the maestro, sent to your door.",
  ],
});
