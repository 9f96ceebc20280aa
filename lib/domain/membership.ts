import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { MemberStatus } from "../values/member-status.ts";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { accessReasons } from "./access.ts";
import { Benefit } from "./benefit.ts";
import { subscriptionDocs } from "./member-docs.ts";
import { TierFields } from "./tier.ts";

/** The caller's own place in a community: the one call an app makes to open or close its gates. */
export const Membership = documented(
  v.object({
    is_member: v.boolean(),
    member_id: v.nullable(Id),
    access: documented(v.object({ granted: v.boolean(), reason: oneOf(accessReasons), until: v.nullable(Timestamp) }), {
      granted: ["Whether the caller may enter.", true],
      reason: ["Why the caller may or may not enter.", "active"],
      until: "Time at which access is due to end. `null` if no end is scheduled.",
    }),
    status: v.nullable(MemberStatus),
    tier: v.nullable(TierFields),
    benefits: v.array(Benefit),
    current_period_end: v.nullable(Timestamp),
    cancel_at_period_end: v.boolean(),
    cancel_at: v.nullable(Timestamp),
  }),
  {
    is_member: ["Whether the caller counts as a member.", true],
    member_id: ["Identifier of the caller's member record. `null` if the caller has never subscribed.", 6312],
    access: "Whether the caller may enter, and why.",
    status: ["Status of the caller's subscription. `null` if the caller has never subscribed.", "active"],
    tier: "The caller's tier. `null` if there is none.",
    benefits: "The active benefits of the tier, by position. Empty unless access is granted.",
    current_period_end: subscriptionDocs.current_period_end,
    cancel_at_period_end: subscriptionDocs.cancel_at_period_end,
    cancel_at: subscriptionDocs.cancel_at,
  },
);
