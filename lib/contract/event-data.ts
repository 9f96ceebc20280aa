import * as v from "valibot";
import { benefitFields } from "../fields/benefit.ts";
import { brandFields } from "../fields/brand.ts";
import { communityFields } from "../fields/community.ts";
import { destinationFields } from "../fields/destination.ts";
import { EventDispute, EventPayment, EventRefund } from "../fields/fact-change.ts";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { tierFields } from "../fields/tier.ts";
import { Access } from "../values/access.ts";
import { Id } from "../values/scalars.ts";

// The data of each record in events. The only personal data are ids. The API reference uses the names of these
// constants.

const { id, ...memberEntries } = shownEntries(memberFields, "event");

export const EventMember = v.object({
  id,
  user_id: Id,
  ...memberEntries,
  has_shipping_address: memberFields.has_shipping_address.made,
  joined_at: memberFields.joined_at.made,
  access: Access,
});
export type EventMember = v.InferOutput<typeof EventMember>;

export const EventCommunity = v.object(shownEntries(communityFields, "event"));

export const EventTier = v.object(shownEntries(tierFields, "event"));

export const EventBenefit = v.object(shownEntries(benefitFields, "event"));

export const EventBrand = v.object(shownEntries(brandFields, "event"));

export const EventDestination = v.object(shownEntries(destinationFields, "event"));

export const MemberEventData = v.object({ member: EventMember });
export const PaymentEventData = v.object({ member: EventMember, payment: EventPayment });
export const RefundEventData = v.object({ member: EventMember, refund: EventRefund });
export const DisputeEventData = v.object({ member: EventMember, dispute: EventDispute });
export const CommunityEventData = v.object({ community: EventCommunity });
export const TierEventData = v.object({ tier: EventTier });
export const BenefitEventData = v.object({ benefit: EventBenefit });
export const BrandEventData = v.object({ brand: EventBrand });
export const PingEventData = v.object({ event_destination: v.object({ id: Id }) });
export const DestinationEventData = v.object({ event_destination: EventDestination });
