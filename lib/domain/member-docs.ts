import type { SetBy, ShownIn } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { BlockRequest, Member, MemberUpdate } from "./member.ts";
import { sequenceDocs, timeDocs } from "./record-docs.ts";

const metadataDocs = {
  lifetime_spend_cents: ["Total amount paid minus refunds, in US cents.", 9500],
  blocked: "Whether the member is blocked.",
  blocked_at: "Time at which the member was blocked. `null` if the member is not blocked.",
  blocked_by:
    "Identifier of the user who blocked the member. `null` if the member is not blocked, and if an API key blocked them.",
  block_reason: "Why the member was blocked. `null` if no reason was given or the member is not blocked.",
  refunds: "The newest 100 refunds. The totals cover all of them.",
  notes: ["Free text about the member. Empty if there is none.", "Prefers reposado"],
} as const satisfies Record<keyof typeof memberFields.metadata.made.entries, FieldDoc>;

/** What the documents say of a subscription, wherever its state is shown. */
export const subscriptionDocs = {
  current_period_start: ["Start of the current billing period.", "2026-11-03T09:30:00.000Z"],
  current_period_end: ["End of the current billing period.", "2026-12-03T09:30:00.000Z"],
  cancel_at_period_end: "Whether the subscription ends with the current billing period.",
  cancel_at: "Time at which the subscription will end. `null` if no end is scheduled.",
  interval: [
    "Billing period of the subscription. `null` for other periods, without a subscription in Stripe, and until the first synchronization after an update of Odis.",
    "month",
  ],
  price_cents: [
    "What the next renewal charges, after discounts, before tax and credit, in US cents. `null` if there is no next renewal.",
    2500,
  ],
  scheduled_change: "The change that is scheduled for the end of the period. `null` if there is none.",
  trial_start: "Start of the free trial. `null` if there was none.",
  trial_end: "End of the free trial. `null` if there was none.",
  canceled_at: "Time at which the cancellation was requested. `null` if the subscription was not canceled.",
  ended_at: "Time at which the subscription ended. `null` if it has not ended.",
} as const;

/** What the documents say of the fields of a member. */
export const memberDocs = {
  id: ["Unique identifier of the member.", 6312],
  status: "Status of the subscription in Stripe. Active, trialing and past-due members have access.",
  access: "Whether the member may enter, and why. Does not show that the community's owner may always enter.",
  joined_at: [
    "Time at which access was first granted. The time of joining, for imported members. `null` before.",
    "2026-08-03T09:31:00.000Z",
  ],
  ...subscriptionDocs,
  shipping_address: "Address for shipments. Eight empty strings if no address is stored.",
  metadata: "Read-only figures, `notes` and your own keys.",
  is_blocked: "Whether the member is blocked. A block ends access but keeps the subscription.",
  block_reason: metadataDocs.block_reason,
  total_refunded: ["Total amount refunded, in US dollars.", 5],
  total_refunded_cents: ["Total amount refunded, in US cents.", 500],
  lifetime_spend_cents: metadataDocs.lifetime_spend_cents,
  requires_shipping_address: ["Whether the member's tier requires a shipping address.", true],
  has_shipping_address: ["Whether a shipping address is stored.", true],
  user: "Profile of the person.",
  membership_tier: "The tier that the member subscribes to.",
  community: "The community that the member belongs to.",
  sequence: sequenceDocs("member"),
  ...timeDocs,
} as const satisfies Record<ShownIn<typeof memberFields, "api">, FieldDoc>;

/** The same for events. */
export const eventMemberDocs = {
  ...memberDocs,
  requires_shipping_address: [
    "Whether the member's tier required a shipping address at the last synchronization. `tier.updated` reports a later change.",
    true,
  ],
  tier_id: ["Identifier of the member's tier.", 11],
} as const satisfies Record<ShownIn<typeof memberFields, "event">, FieldDoc>;

/** The same for the export of a person's data. */
export const exportedMemberDocs = {
  ...memberDocs,
  notes: [
    "Notes about the person by the owner, the team and API keys of the community, and by admins.",
    "Prefers reposado",
  ],
  blocked_at: metadataDocs.blocked_at,
  stripe_customer_id: ["Identifier of the customer in Stripe. `null` if there is none.", "cus_TQmN2eZvKYlo2C"],
} as const satisfies Record<ShownIn<typeof memberFields, "export">, FieldDoc>;

/** What the documents say of the fields of a PATCH. `metadata` sets `notes` and `custom`. */
export const memberUpdateDocs = {
  shipping_address: "The whole address. `null` removes it. It is also written to the customer in Stripe.",
  metadata: [
    "A JSON merge patch (RFC 7396) of `notes` (at most 5,000 characters) and your own keys; `null` removes a key. " +
      "At most 50 keys of 40 characters each, 16 KiB and five levels of nesting in total. Numbers are limited to 2^53 - 1. The keys that Odis maintains are read-only.",
    { notes: "Prefers reposado", shirt_size: "M" },
  ],
} as const satisfies Record<Exclude<SetBy<typeof memberFields, "patch">, "notes" | "custom"> | "metadata", FieldDoc>;

describeFields(Member, memberDocs);
describeFields(MemberUpdate, { member: "The fields to change. Omitted fields are left unchanged." });
describeFields(MemberUpdate.entries.member, memberUpdateDocs);

describeFields(BlockRequest, {
  reason: [
    "Why the member is blocked. Visible to the owner, the team and API keys of the community, to admins, and in the export of the person's data.",
    "Resells the bottles",
  ],
});

describeFields(memberFields.metadata.made, metadataDocs);

describeFields(memberFields.scheduled_change.stored.wrapped, {
  tier: "The tier from then on.",
  interval: ["Billing period from then on.", "month"],
  price_cents: ["What each renewal then charges, after discounts, before tax and credit, in US cents.", 1200],
  at: ["Time of the change.", "2026-12-03T09:30:00.000Z"],
});

describeFields(memberFields.scheduled_change.stored.wrapped.entries.tier, {
  id: ["Unique identifier of the tier.", 12],
  name: ["Name of the tier.", "Joven"],
});

describeFields(memberFields.membership_tier.made, {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
  monthly_price_dollars: [
    "Monthly price for new members, in US dollars. The subscription details have the price that this member pays.",
    25,
  ],
});
