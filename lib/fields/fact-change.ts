import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { disputeFields } from "./dispute.ts";
import { shownEntries } from "./field.ts";
import { refundFields } from "./refund.ts";

/** A paid invoice, or a failed attempt to pay an invoice, in events. */
export const EventPayment = v.object({
  id: v.string(),
  invoice_id: v.string(),
  amount_cents: Cents,
  currency: v.string(),
  status: oneOf(["succeeded", "failed"]),
  tier_id: v.nullable(Id),
  period_start: v.nullable(Timestamp),
  period_end: v.nullable(Timestamp),
  at: Timestamp,
});
export type EventPayment = v.InferOutput<typeof EventPayment>;

/** A payment as noted in a member. Earlier versions noted neither its currency nor its tier and period. */
const NotedPayment = v.object({
  ...EventPayment.entries,
  currency: v.optional(v.string(), "usd"),
  tier_id: v.optional(EventPayment.entries.tier_id, null),
  period_start: v.optional(EventPayment.entries.period_start, null),
  period_end: v.optional(EventPayment.entries.period_end, null),
});

/** A refund in events, without its note. */
export const EventRefund = v.object(shownEntries(refundFields, "event"));

/** A dispute in events. */
export const EventDispute = v.object(shownEntries(disputeFields, "event"));

/** The final statuses of a dispute at Stripe. An appeal reopens a lost dispute. */
export const closedDisputes: readonly string[] = ["won", "lost", "warning_closed", "prevented"];

/**
 * A change that a synchronization has found: a payment or failed attempt, a refund or a dispute. `former_status` is the
 * status before the change, `null` if the refund or dispute is new.
 */
export const FactChange = v.variant("kind", [
  v.object({ kind: v.literal("payment"), payment: NotedPayment }),
  v.object({
    kind: v.literal("refund"),
    refund: EventRefund,
    former_status: v.nullable(EventRefund.entries.status),
  }),
  v.object({
    kind: v.literal("dispute"),
    dispute: EventDispute,
    former_status: v.nullable(v.string()),
    /** The latest final status before the change. `null` if there was none. Earlier versions did not note it. */
    closed_as: v.optional(v.nullable(v.string()), null),
  }),
]);
export type FactChange = v.InferOutput<typeof FactChange>;
