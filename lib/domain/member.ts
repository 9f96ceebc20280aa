import * as v from "valibot";
import { AddressInput, ShippingAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { documented } from "../values/documented.ts";
import { MemberStatus } from "../values/member-status.ts";
import { MetadataPatch } from "../values/metadata.ts";
import { Person } from "../values/person.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { Cents, Id, integer, Timestamp, text } from "../values/scalars.ts";
import { timeDocs } from "./record.ts";

/** What the documents say of the sums of a member. */
const moneyDocs = {
  lifetime_spend_cents: ["Total amount paid minus refunds, in US cents.", 9500],
  total_refunded_cents: ["Total amount refunded, in US cents.", 500],
} as const;

const blockDocs = {
  is_blocked: "Whether the member is blocked. A block ends access but keeps the subscription.",
  block_reason: "Why the member was blocked. `null` if no reason was given or the member is not blocked.",
  blocked_at: "Time at which the member was blocked. `null` if the member is not blocked.",
  blocked_by: "Identifier of the user who blocked the member. `null` if the member is not blocked.",
} as const;

/** What the documents say of a subscription, wherever its state is shown. */
export const subscriptionDocs = {
  current_period_start: ["Start of the current billing period.", "2026-11-03T09:30:00.000Z"],
  current_period_end: ["End of the current billing period.", "2026-12-03T09:30:00.000Z"],
  cancel_at_period_end: "Whether the subscription ends with the current billing period.",
  cancel_at: "Time at which the subscription will end. `null` if no end is scheduled.",
  trial_start: "Start of the free trial. `null` if there was none.",
  trial_end: "End of the free trial. `null` if there was none.",
  canceled_at: "Time at which the cancellation was requested. `null` if the subscription was not canceled.",
  ended_at: "Time at which the subscription ended. `null` if it has not ended.",
} as const;

/** The keys of `metadata` that the interface names; custom keys stand beside them. */
const MemberMetadata = documented(
  v.looseObject({
    lifetime_spend_cents: Cents,
    blocked: v.boolean(),
    blocked_at: v.nullable(Timestamp),
    blocked_by: v.nullable(Id),
    block_reason: v.nullable(v.string()),
    refunds: v.array(RefundEntry),
    notes: v.string(),
  }),
  {
    lifetime_spend_cents: moneyDocs.lifetime_spend_cents,
    blocked: "Whether the member is blocked.",
    blocked_at: blockDocs.blocked_at,
    blocked_by: blockDocs.blocked_by,
    block_reason: blockDocs.block_reason,
    refunds: "The newest 100 refunds. The totals cover all of them.",
    notes: ["Free text about the member. Empty if there is none.", "Prefers reposado"],
  },
);

/** The member record, as the interface shows it. */
export const Member = documented(
  v.object({
    id: Id,
    status: MemberStatus,
    current_period_start: Timestamp,
    current_period_end: Timestamp,
    cancel_at_period_end: v.boolean(),
    cancel_at: v.nullable(Timestamp),
    trial_start: v.nullable(Timestamp),
    trial_end: v.nullable(Timestamp),
    canceled_at: v.nullable(Timestamp),
    ended_at: v.nullable(Timestamp),
    shipping_address: ShippingAddress,
    metadata: MemberMetadata,
    is_blocked: v.boolean(),
    block_reason: v.nullable(v.string()),
    total_refunded: v.number(),
    total_refunded_cents: Cents,
    lifetime_spend_cents: Cents,
    requires_shipping_address: v.boolean(),
    has_shipping_address: v.boolean(),
    user: Person,
    membership_tier: documented(v.object({ id: Id, name: v.string(), monthly_price_dollars: v.number() }), {
      id: ["Unique identifier of the tier.", 11],
      name: ["Name of the tier.", "Reserva"],
      monthly_price_dollars: [
        "Monthly price for new members, in US dollars. The subscription details have the price that this member pays.",
        25,
      ],
    }),
    community: CommunityReference,
    sequence: integer(1),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the member.", 6312],
    status: "Status of the subscription in Stripe. Active, trialing and past-due members have access.",
    ...subscriptionDocs,
    shipping_address: "Address for shipments. Seven empty strings if no address is stored.",
    metadata: "Read-only figures, `notes` and your own keys.",
    is_blocked: blockDocs.is_blocked,
    block_reason: blockDocs.block_reason,
    total_refunded: ["Total amount refunded, in US dollars.", 5],
    ...moneyDocs,
    requires_shipping_address: ["Whether the member's tier requires a shipping address.", true],
    has_shipping_address: ["Whether a shipping address is stored.", true],
    user: "Profile of the person.",
    membership_tier: "The tier that the member subscribes to.",
    community: "The community that the member belongs to.",
    sequence: [
      "Sequence of the last event that this record includes. Events of the member with a higher `sequence` are newer. The ETag does not cover it.",
      70000,
    ],
    ...timeDocs,
  },
);
export type Member = v.InferOutput<typeof Member>;

export const MemberUpdate = documented(
  v.strictObject({
    member: documented(
      v.strictObject({
        shipping_address: v.optional(v.nullable(AddressInput)),
        metadata: v.optional(MetadataPatch),
      }),
      {
        shipping_address: "The whole address. `null` removes it. It is also written to the customer in Stripe.",
        metadata: [
          "A JSON merge patch (RFC 7396) of `notes` (at most 5,000 characters) and your own keys; `null` removes a key. " +
            "At most 50 keys of 40 characters each, 16 KiB and five levels of nesting in total. Numbers are limited to 2^53 - 1. The keys that Odis maintains are read-only.",
          { notes: "Prefers reposado", shirt_size: "M" },
        ],
      },
    ),
  }),
  { member: "The fields to change. Omitted fields are left unchanged." },
);
export type MemberUpdate = v.InferOutput<typeof MemberUpdate>;

export const BlockRequest = documented(v.strictObject({ reason: v.optional(text(0, 500)) }), {
  reason: ["Why the member is blocked, for the owner and admins of the community.", "Resells the bottles"],
});
