import { describeFields } from "../values/documented.ts";
import { ChargeRefundRequest, RefundAnswer, RefundRequest } from "./refund.ts";

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
