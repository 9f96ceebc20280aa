import { describeFields } from "./documented.ts";
import { EventDispute, EventPayment, EventRefund } from "./fact-change.ts";
import { refundDocs } from "./refund-entry-docs.ts";

describeFields(EventPayment, {
  id: [
    "Identifier of the charge in Stripe. The identifier of the invoice if it was paid outside Stripe.",
    "ch_3TUQmN2eZvKYlo2C0z9y8x7w",
  ],
  invoice_id: ["Identifier of the invoice in Stripe.", "in_1TUQmN2eZvKYlo2C9i8u7y6t"],
  amount_cents: ["Amount paid for the invoice, or amount of the failed attempt, in US cents.", 2500],
  status: "Whether the invoice was paid or the attempt failed.",
  at: ["Time of the payment or the attempt.", "2026-11-03T09:30:11.000Z"],
});

describeFields(EventRefund, refundDocs);

describeFields(EventDispute, {
  id: ["Identifier of the dispute in Stripe.", "du_1TUQmN2eZvKYlo2C4r5t6y7u"],
  charge_id: ["Identifier of the disputed charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  amount_cents: ["Disputed amount in US cents.", 2500],
  status: ["Status of the dispute in Stripe.", "needs_response"],
});
