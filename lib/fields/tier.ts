import * as v from "valibot";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/tier.json";

/** A benefit as part of the tier that has it: what the public sees of benefits. */
const TierBenefit = v.object({ id: Id, name: v.string(), position: v.number(), description: v.optional(v.string()) });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `price` stores the price that was made at Stripe. `server` sets what no request contains. */
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
  trial_days: { stored: v.number(), set: given, shown: everywhere, personal: false },
  requires_shipping_address: { stored: v.boolean(), set: given, shown: everywhere, personal: false },
  stripe_price_id: { stored: v.nullable(v.string()), set: ["price"], shown: everywhere, personal: false },
  status: { stored: oneOf(["active", "archived"]), set: ["patch"], shown: everywhere, personal: false },
  benefits: { made: v.array(TierBenefit), shown: ["api"] },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** A checkout was opened on it, or a member has been on it, so that it can never be deleted. */
  in_use: { stored: v.boolean(), set: ["server"], shown: [], personal: false },
  /** Rises with every assignment of a benefit. A deletion is conditional on it. */
  assignments: { stored: v.number(), set: ["server"], shown: [], personal: false },
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
