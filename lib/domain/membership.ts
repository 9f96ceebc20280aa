import * as v from "valibot";
import { Benefit } from "./benefit.ts";
import { MemberStatus } from "./member.ts";
import { Timestamp } from "./scalars.ts";
import { Tier } from "./tier.ts";

/** The caller's own place in a community: the one call an app makes to open or close its gates. */
export const Membership = v.object({
  is_member: v.boolean(),
  access: v.object({
    granted: v.boolean(),
    reason: v.picklist([
      "owner",
      "active",
      "trialing",
      "past_due",
      "canceling",
      "blocked",
      "ended",
      "unpaid",
      "incomplete",
      "not_a_member",
    ]),
    until: v.nullable(Timestamp),
  }),
  status: v.nullable(MemberStatus),
  tier: v.nullable(Tier),
  /** The active benefits of the tier, in order; none while access is not granted. */
  benefits: v.array(Benefit),
  current_period_end: v.nullable(Timestamp),
  cancel_at_period_end: v.boolean(),
});
