import * as v from "valibot";
import { Cents, oneOf, Timestamp } from "../values/scalars.ts";
import { disputeFields } from "./dispute.ts";
import { shownEntries } from "./field.ts";
import { refundFields } from "./refund.ts";

/** A paid invoice, or a failed attempt to pay an invoice, in events. */
export const EventPayment = v.object({
  id: v.string(),
  invoice_id: v.string(),
  amount_cents: Cents,
  status: oneOf(["succeeded", "failed"]),
  at: Timestamp,
});
export type EventPayment = v.InferOutput<typeof EventPayment>;

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
  v.object({ kind: v.literal("payment"), payment: EventPayment }),
  v.object({
    kind: v.literal("refund"),
    refund: EventRefund,
    former_status: v.nullable(EventRefund.entries.status),
  }),
  v.object({ kind: v.literal("dispute"), dispute: EventDispute, former_status: v.nullable(v.string()) }),
]);
export type FactChange = v.InferOutput<typeof FactChange>;
