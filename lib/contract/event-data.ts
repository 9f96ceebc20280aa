import * as v from "valibot";
import { Benefit } from "../domain/benefit.ts";
import { Brand } from "../domain/brand.ts";
import { Community } from "../domain/community.ts";
import { Destination } from "../domain/destination.ts";
import { eventMemberDocs } from "../domain/member-docs.ts";
import { Membership } from "../domain/membership.ts";
import { eventTierDocs } from "../domain/tier-docs.ts";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { tierFields } from "../fields/tier.ts";
import { docsOf, documented } from "../values/documented.ts";
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

const communityNames = [
  "id",
  "uuid",
  "name",
  "slug",
  "owner_id",
  "avatar_url",
  "status",
  "trending_pin",
  "created_at",
] as const;
export const EventCommunity = documented(v.pick(Community, communityNames), {
  ...docsOf(Community),
  owner_id: ["Identifier of the user who owns the community, and may always enter it.", 3],
  trending_pin: "The trending mark that an admin has forced. `null` if the trend score decides.",
});

export const EventTier = documented(v.object(shownEntries(tierFields, "event")), eventTierDocs);

const benefitNames = ["id", "name", "description", "position", "status", "tier_ids", "created_at"] as const;
export const EventBenefit = documented(v.pick(Benefit, benefitNames), docsOf(Benefit));

export const EventBrand = documented(v.pick(Brand, ["id", "name", "producer_ids", "created_at"]), docsOf(Brand));

/** Not its URL, which may hold what opens the receiver. */
export const EventDestination = documented(
  v.pick(Destination, ["id", "description", "status", "disabled_reason", "created_at"]),
  docsOf(Destination),
);

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
