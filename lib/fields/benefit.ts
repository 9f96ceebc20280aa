import * as v from "valibot";
import { CommunityReference } from "../values/community-reference.ts";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/benefit.json";

const BenefitTier = v.object({ id: Id, name: v.string(), position: v.number() });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /**
   * `archive` stands for the routes that archive and activate a benefit. `server` sets the values that no request
   * contains.
   */
  readonly set: "post" | "patch" | "archive" | "server";
  readonly shown: "api" | "event" | "activity";
};

const given = ["post", "patch"] as const;
const everywhere = ["api", "event", "activity"] as const;

/** The names of the tiers and of the community are read with each request, never copied into the item. */
export const benefitFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api", "event"], personal: false },
  name: { stored: v.string(), set: given, shown: everywhere, personal: false },
  description: { stored: v.string(), set: given, shown: everywhere, personal: false },
  position: { stored: v.number(), set: given, shown: everywhere, personal: false },
  status: { stored: oneOf(["active", "archived"]), set: ["archive"], shown: everywhere, personal: false },
  tier_ids: { stored: v.array(Id), set: given, shown: everywhere, personal: false },
  tiers: { made: v.array(BenefitTier), shown: ["api"] },
  community: { made: CommunityReference, shown: ["api"] },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
