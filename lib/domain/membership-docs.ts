import { describeFields, type FieldDoc } from "../values/documented.ts";
import { subscriptionDocs } from "./member-docs.ts";
import { Membership } from "./membership.ts";

/** What the documents say of the fields of a membership. */
export const membershipDocs = {
  is_member: ["Whether the caller counts as a member.", true],
  member_id: ["Identifier of the caller's member record. `null` if the caller has never subscribed.", 6312],
  access: "Whether the caller may enter, and why.",
  status: ["Status of the caller's subscription. `null` if the caller has never subscribed.", "active"],
  tier: "The caller's tier. `null` if there is none.",
  benefits: "The active benefits of the tier, by position. Empty unless access is granted.",
  current_period_end: subscriptionDocs.current_period_end,
  cancel_at_period_end: subscriptionDocs.cancel_at_period_end,
  cancel_at: subscriptionDocs.cancel_at,
  interval: subscriptionDocs.interval,
  price_cents: subscriptionDocs.price_cents,
  scheduled_change: subscriptionDocs.scheduled_change,
} as const satisfies Record<keyof typeof Membership.entries, FieldDoc>;

describeFields(Membership, membershipDocs);
