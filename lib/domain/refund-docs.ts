import { EventRefund } from "../fields/fact-change.ts";
import { RefundEntry } from "../fields/refund.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { ChargeRefundRequest, RefundAnswer, RefundRequest } from "./refund.ts";

/** What the documents say of the fields of a refund. */
export const refundDocs = {
  refund_id: ["Identifier of the refund in Stripe.", "re_3TUQmN2eZvKYlo2C1a2b3c4d"],
  charge_id: ["Identifier of the refunded charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  amount_cents: ["Refunded amount in US cents.", 500],
  reason: "Reason for the refund. `unspecified` if a refund made in Stripe has none.",
  status: ["Status of the refund in Stripe. All but `failed` and `canceled` count as refunded.", "succeeded"],
  note: ["Note given with the request. `null` if there is none.", "Bottle arrived broken"],
  issued_at: ["Time at which the refund was requested.", "2026-11-05T16:20:00.000Z"],
  issued_by: [
    "Identifier of the user who issued the refund. `null` for a refund made in Stripe or with an API key.",
    3,
  ],
} as const satisfies Record<keyof typeof RefundEntry.entries, FieldDoc>;

describeFields(RefundEntry, refundDocs);
describeFields(EventRefund, refundDocs);

const termDocs = {
  amount_cents: ["Amount to refund in US cents. Defaults to the remaining amount of the charge.", 500],
  reason: "Reason for the refund. `fraudulent` is recorded here but not passed to Stripe, which would block the card.",
  note: ["Note for your own records.", "Bottle arrived broken"],
} as const;

describeFields(RefundRequest, termDocs);

describeFields(ChargeRefundRequest, {
  charge_id: ["Identifier of the charge to refund, as in the payment history.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  ...termDocs,
});

describeFields(RefundAnswer, {
  refund: "The refund.",
  member: "The member after the refund.",
});
