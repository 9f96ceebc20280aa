import type { SetBy, ShownIn } from "../fields/field.ts";
import type { tierFields } from "../fields/tier.ts";
import type { FieldDoc } from "../values/documented.ts";
import { timeDocs } from "./record.ts";

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
  trial_days: ["Length of the free trial in days.", 0],
  requires_shipping_address: ["Whether checkout asks for a shipping address.", true],
  stripe_price_id: [
    "Identifier of the current price in Stripe. `null` without a token.",
    "price_1TUQmN2eZvKYlo2C5e6f7g8h",
  ],
  status: "An archived tier takes no new members.",
  benefits: "Active benefits of the tier, by position. The ETag does not cover them.",
  ...timeDocs,
} as const satisfies Record<Described, FieldDoc>;

/** The same for events, which are sent to the owner. */
export const eventTierDocs = {
  ...tierDocs,
  stripe_price_id: [
    "Identifier of the current price in Stripe. `null` if there is none.",
    "price_1TUQmN2eZvKYlo2C5e6f7g8h",
  ],
} as const satisfies Record<ShownIn<typeof tierFields, "event">, FieldDoc>;
