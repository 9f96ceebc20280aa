import * as v from "valibot";
import { benefitDocs } from "../domain/benefit-docs.ts";
import { brandDocs } from "../domain/brand-docs.ts";
import { eventCommunityDocs } from "../domain/community-docs.ts";
import { destinationDocs } from "../domain/destination-docs.ts";
import { eventMemberDocs } from "../domain/member-docs.ts";
import { Membership } from "../domain/membership.ts";
import { eventTierDocs } from "../domain/tier-docs.ts";
import { benefitFields } from "../fields/benefit.ts";
import { brandFields } from "../fields/brand.ts";
import { communityFields } from "../fields/community.ts";
import { destinationFields } from "../fields/destination.ts";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { tierFields } from "../fields/tier.ts";
import { documented } from "../values/documented.ts";
import { EventDispute, EventPayment, EventRefund } from "../values/fact-change.ts";
import { Id } from "../values/scalars.ts";

// What events hold of each record: nothing personal but ids. The documents name the schemas after their variables.

const { id, ...memberEntries } = shownEntries(memberFields, "event");

export const EventMember = documented(
  v.object({
    id,
    user_id: Id,
    ...memberEntries,
    access: Membership.entries.access,
  }),
  {
    ...eventMemberDocs,
    user_id: ["Identifier of the user.", 5],
    access:
      "Whether the member may enter, and why. The community's owner may always enter, which this field does not show.",
  },
);
export type EventMember = v.InferOutput<typeof EventMember>;

export const EventCommunity = documented(v.object(shownEntries(communityFields, "event")), eventCommunityDocs);

export const EventTier = documented(v.object(shownEntries(tierFields, "event")), eventTierDocs);

export const EventBenefit = documented(v.object(shownEntries(benefitFields, "event")), benefitDocs);

export const EventBrand = documented(v.object(shownEntries(brandFields, "event")), brandDocs);

export const EventDestination = documented(v.object(shownEntries(destinationFields, "event")), destinationDocs);

const member = "State of the member after the change.";

export const MemberEventData = documented(v.object({ member: EventMember }), { member });
export const PaymentEventData = documented(v.object({ member: EventMember, payment: EventPayment }), {
  member,
  payment: "The payment or the failed attempt.",
});
export const RefundEventData = documented(v.object({ member: EventMember, refund: EventRefund }), {
  member,
  refund: "The refund.",
});
export const DisputeEventData = documented(v.object({ member: EventMember, dispute: EventDispute }), {
  member,
  dispute: "The dispute.",
});
export const CommunityEventData = documented(v.object({ community: EventCommunity }), {
  community: "The community after the change.",
});
export const TierEventData = documented(v.object({ tier: EventTier }), {
  tier: "The tier after the change. The last state if it was deleted.",
});
export const BenefitEventData = documented(v.object({ benefit: EventBenefit }), {
  benefit: "The benefit after the change. The last state if it was deleted.",
});
export const BrandEventData = documented(v.object({ brand: EventBrand }), {
  brand: "The brand after the change. The last state if it was deleted.",
});
export const DestinationEventData = documented(v.object({ event_destination: EventDestination }), {
  event_destination: "The event destination after the change.",
});
