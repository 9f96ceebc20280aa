import * as v from "valibot";
import { docsOf, documented } from "./documented.ts";
import { RefundEntry } from "./refund-entry.ts";
import { Cents, oneOf, Timestamp } from "./scalars.ts";

/** A paid invoice, or a failed attempt to pay one, as events have it. */
export const EventPayment = documented(
  v.object({
    id: v.string(),
    invoice_id: v.string(),
    amount_cents: Cents,
    status: oneOf(["succeeded", "failed"]),
    at: Timestamp,
  }),
  {
    id: [
      "Identifier of the charge in Stripe. The identifier of the invoice if it was paid outside Stripe.",
      "ch_3TUQmN2eZvKYlo2C0z9y8x7w",
    ],
    invoice_id: ["Identifier of the invoice in Stripe.", "in_1TUQmN2eZvKYlo2C9i8u7y6t"],
    amount_cents: ["Amount paid for the invoice, or amount of the failed attempt, in US cents.", 2500],
    status: "Whether the invoice was paid or the attempt failed.",
    at: ["Time of the payment or the attempt.", "2026-11-03T09:30:11.000Z"],
  },
);
export type EventPayment = v.InferOutput<typeof EventPayment>;

const { note: _, ...refundDocs } = docsOf(RefundEntry);

/** A refund as events have it: without its note. */
export const EventRefund = documented(v.omit(RefundEntry, ["note"]), refundDocs);
export type EventRefund = v.InferOutput<typeof EventRefund>;

/** A dispute as events have it. */
export const EventDispute = documented(
  v.object({ id: v.string(), charge_id: v.string(), amount_cents: Cents, status: v.string() }),
  {
    id: ["Identifier of the dispute in Stripe.", "du_1TUQmN2eZvKYlo2C4r5t6y7u"],
    charge_id: ["Identifier of the disputed charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
    amount_cents: ["Disputed amount in US cents.", 2500],
    status: ["Status of the dispute in Stripe.", "needs_response"],
  },
);
export type EventDispute = v.InferOutput<typeof EventDispute>;

/** The final statuses of a dispute at Stripe. An appeal opens a lost dispute again. */
export const closedDisputes: readonly string[] = ["won", "lost", "warning_closed", "prevented"];

/**
 * What a synchronization has learned about a member's money: a payment or a failed attempt, a refund or a dispute.
 * `former_status` is the status before, `null` if the refund or dispute is new.
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
