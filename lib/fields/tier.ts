import * as v from "valibot";
import { Id, integer, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/tier.json";

/** A benefit as part of a tier: the fields that are public. */
const TierBenefit = v.object({ id: Id, name: v.string(), position: v.number(), description: v.optional(v.string()) });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `price` stores the Stripe prices of the tier. `server` sets the values that no request contains. */
  readonly set: "post" | "patch" | "price" | "server";
  readonly shown: "api" | "event" | "activity";
};

const given = ["post", "patch"] as const;
const everywhere = ["api", "event", "activity"] as const;

export const tierFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api", "event"], personal: false },
  name: { stored: v.string(), set: given, shown: everywhere, personal: false },
  badge: { stored: v.nullable(v.string()), set: given, shown: everywhere, personal: false },
  position: { stored: v.number(), set: given, shown: everywhere, personal: false },
  monthly_price_dollars: { stored: v.number(), set: given, shown: everywhere, personal: false },
  yearly_price_dollars: {
    stored: v.nullable(v.number()),
    before: null,
    set: given,
    shown: everywhere,
    personal: false,
  },
  trial_days: { stored: v.number(), set: given, shown: everywhere, personal: false },
  requires_shipping_address: { stored: v.boolean(), set: given, shown: everywhere, personal: false },
  stripe_price_id: { stored: v.nullable(v.string()), set: ["price"], shown: everywhere, personal: false },
  yearly_stripe_price_id: {
    stored: v.nullable(v.string()),
    before: null,
    set: ["price"],
    shown: everywhere,
    personal: false,
  },
  status: { stored: oneOf(["active", "archived"]), set: ["patch"], shown: everywhere, personal: false },
  benefits: { made: v.array(TierBenefit), shown: ["api"] },
  sequence: { made: integer(1), shown: ["api"] },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** Whether a checkout of the tier was ever opened or a member ever had the tier. Such a tier cannot be deleted. */
  in_use: { stored: v.boolean(), set: ["server"], shown: [], personal: false },
  /** Incremented when a benefit is assigned. Deleting the tier requires the value that was read. */
  assignments: { stored: v.number(), set: ["server"], shown: [], personal: false },
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
