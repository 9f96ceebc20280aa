import { benefitDocs } from "../domain/benefit-docs.ts";
import { brandDocs } from "../domain/brand-docs.ts";
import { eventCommunityDocs } from "../domain/community-docs.ts";
import { destinationDocs } from "../domain/destination-docs.ts";
import { eventMemberDocs } from "../domain/member-docs.ts";
import { eventTierDocs } from "../domain/tier-docs.ts";
import { describeFields } from "../values/documented.ts";
import {
  BenefitEventData,
  BrandEventData,
  CommunityEventData,
  DestinationEventData,
  DisputeEventData,
  EventBenefit,
  EventBrand,
  EventCommunity,
  EventDestination,
  EventMember,
  EventTier,
  MemberEventData,
  PaymentEventData,
  PingEventData,
  RefundEventData,
  TierEventData,
} from "./event-data.ts";
import { EventEnvelope, type EventType, subjectOfMember } from "./events.ts";

/** When each event is sent. */
export const eventSummaries: Readonly<Record<EventType, string>> = {
  "access.granted": "The member gets access, or the reason or the scheduled end of their access changes.",
  "access.revoked": "The member loses access.",
  "member.joined": "A subscription begins to give access, for the first time or after it had ended.",
  "member.imported": "An import created or replaced the member.",
  "member.renewed": "A new billing period begins while the subscription gives access.",
  "member.trial_ending": "The trial ends in three days, or a shorter trial begins. Sent once per trial.",
  "member.past_due": "A payment failed and is being retried. The member keeps access.",
  "member.unpaid": "A payment failed and is no longer retried. Not sent for a pause that was requested in Stripe.",
  "member.recovered":
    "The status returns from `past_due` or `unpaid` to `active`. Not sent after a pause that was requested in Stripe.",
  "member.canceled": "The subscription ends.",
  "member.tier_changed": "The member moves to another tier.",
  "member.cancel_scheduled": "The end of the subscription is scheduled, or its date changes.",
  "member.uncanceled": "The scheduled end of the subscription is withdrawn.",
  "member.change_scheduled": "A change of tier or interval is scheduled, or replaces another one.",
  "member.change_canceled": "A scheduled change is dropped without being made.",
  "member.blocked": "The member is blocked.",
  "member.unblocked": "The member is no longer blocked.",
  "member.erased": "The person is erased, after their access was revoked. The record remains without a name.",
  "member.updated":
    "The shipping address or the interval changes, or another field of `data.member` for which no other event is sent.",
  "payment.succeeded": "An invoice is paid. Not sent for invoices of 0.",
  "payment.failed": "An attempt to pay an invoice fails.",
  "refund.created": "A refund is created, through Odis or in Stripe.",
  "refund.failed": "A refund fails or is canceled, and no longer counts.",
  "refund.updated": "The status of a refund changes in another way.",
  "dispute.opened": "The customer disputes a charge.",
  "dispute.closed":
    "A dispute ends, or an appeal changes how it ended. `status` is `won`, `lost`, `warning_closed` or `prevented`.",
  "dispute.updated": "The status of a dispute changes in another way, such as by an appeal.",
  "community.created": "A community is created.",
  "community.updated": "A community is edited or transferred.",
  "community.archived": "A community is archived.",
  "community.activated": "An archived community is activated.",
  "tier.created": "A tier is created.",
  "tier.updated": "A tier is edited.",
  "tier.archived": "A tier is archived.",
  "tier.activated": "An archived tier is activated.",
  "tier.deleted": "A tier is deleted.",
  "benefit.created": "A benefit is created.",
  "benefit.updated": "A benefit is edited.",
  "benefit.archived": "A benefit is archived.",
  "benefit.activated": "An archived benefit is activated.",
  "benefit.deleted": "A benefit is deleted.",
  "event_destination.disabled":
    "An event destination is disabled: by a request, because deliveries fail, because the community has a new owner, or because the data was restored from a backup.",
  ping: "Somebody tests the event destination. Sent only to it, whatever its `events`, and not listed among the events.",
  "brand.created": "A brand is created.",
  "brand.updated": "A brand is renamed or linked to other producers.",
  "brand.deleted": "A brand is deleted.",
};

describeFields(EventMember, {
  ...eventMemberDocs,
  user_id: ["Identifier of the user.", 5],
  access:
    "Whether the member may enter, and why. The community's owner may always enter, which this field does not show.",
});

describeFields(EventCommunity, eventCommunityDocs);
describeFields(EventTier, eventTierDocs);
describeFields(EventBenefit, benefitDocs);
describeFields(EventBrand, brandDocs);
describeFields(EventDestination, destinationDocs);

const member = "State of the member after the change.";

describeFields(MemberEventData, { member });

describeFields(PaymentEventData, {
  member,
  payment: "The payment or the failed attempt.",
});

describeFields(RefundEventData, {
  member,
  refund: "The refund.",
});

describeFields(DisputeEventData, {
  member,
  dispute: "The dispute.",
});

describeFields(CommunityEventData, {
  community: "The community after the change.",
});

describeFields(TierEventData, {
  tier: "The tier after the change. The last state if it was deleted.",
});

describeFields(BenefitEventData, {
  benefit: "The benefit after the change. The last state if it was deleted.",
});

describeFields(BrandEventData, {
  brand: "The brand after the change. The last state if it was deleted.",
});

describeFields(DestinationEventData, {
  event_destination: "The event destination after the change.",
});

describeFields(PingEventData, {
  event_destination: "The event destination that is tested.",
});

describeFields(PingEventData.entries.event_destination, {
  id: ["Unique identifier of the destination.", 301],
});

describeFields(EventEnvelope, {
  id: ["Unique identifier of the event, the same in every delivery.", "9c1f3f0e6c3b4f6a8d0f5d5c2a7b1e42-0"],
  timestamp: ["Time of the change.", "2026-11-21T05:16:02.000Z"],
  sequence: ["Number that increases with each event of the same `subject`. There may be gaps.", 70000],
  subject: [
    "Path of the record. Payments, refunds and disputes belong to their member.",
    subjectOfMember({ community_id: 1, id: 6312 }),
  ],
  community_id: ["Identifier of the community. `null` for brands.", 1],
});
