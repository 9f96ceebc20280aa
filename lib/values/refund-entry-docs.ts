import { describeFields, type FieldDoc } from "./documented.ts";
import { RefundEntry } from "./refund-entry.ts";

/** What the documents say of the fields of a refund. */
export const refundDocs = {
  refund_id: ["Identifier of the refund in Stripe.", "re_3TUQmN2eZvKYlo2C1a2b3c4d"],
  charge_id: ["Identifier of the refunded charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  amount_cents: ["Refunded amount in US cents.", 500],
  reason: "Reason for the refund. `unspecified` if a refund made in Stripe has none.",
  status: ["Status of the refund in Stripe. All but `failed` and `canceled` count as refunded.", "succeeded"],
  note: ["Note given with the request. `null` if there is none.", "Bottle arrived broken"],
  issued_at: ["Time at which the refund was requested.", "2026-11-05T16:20:00.000Z"],
  issued_by: ["Identifier of the user who issued the refund. `null` for a refund made in Stripe.", 3],
} as const satisfies Record<keyof typeof RefundEntry.entries, FieldDoc>;

describeFields(RefundEntry, refundDocs);
