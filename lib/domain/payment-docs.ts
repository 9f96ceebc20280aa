import { EventDispute, EventPayment } from "../fields/fact-change.ts";
import { Charge } from "../fields/payment.ts";
import { describeFields } from "../values/documented.ts";
import { subscriptionDocs } from "./member-docs.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";
import { Invoice, PaymentHistoryPage, PaymentHistoryQuery, SubscriptionDetails } from "./payment.ts";

const cardDocs = {
  type: ["Type of payment method in Stripe.", "card"],
  brand: ["Brand of the card. `null` for other payment methods.", "visa"],
  last4: ["Last four digits of the card. `null` for other payment methods.", "4242"],
} as const;

describeFields(Charge, {
  id: ["Identifier of the charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  status: ["Status of the charge in Stripe: `succeeded`, `pending` or `failed`.", "succeeded"],
  amount_cents: ["Charged amount in US cents.", 2500],
  amount_refunded_cents: ["Refunded amount in US cents.", 500],
  refundable_cents: ["Amount that can still be refunded, in US cents.", 2000],
  disputed: "Whether the customer has disputed the charge with their bank.",
  failure_message: "Stripe's message on why the charge failed. `null` if it did not fail.",
  payment_method: "Payment method of the charge. `null` if Stripe does not report one.",
  receipt_url: ["URL of Stripe's receipt.", "https://pay.stripe.com/receipts/example"],
  created_at: ["Time at which the charge was made.", "2026-11-03T09:30:10.000Z"],
});

describeFields(Charge.entries.payment_method.wrapped, cardDocs);

const invoiceDocs = {
  id: ["Identifier of the invoice in Stripe.", "in_1TUQmN2eZvKYlo2C9i8u7y6t"],
  status: ["Status of the invoice in Stripe: `draft`, `open`, `paid`, `uncollectible` or `void`.", "paid"],
  amount_due_cents: ["Amount due in US cents.", 2500],
  hosted_invoice_url: ["URL of the invoice's page in Stripe, for the member.", "https://invoice.stripe.com/i/example"],
} as const;

const currencyDocs = ["Three-letter currency code in lower case: always `usd`.", "usd"] as const;

describeFields(Invoice, {
  ...invoiceDocs,
  number: ["Number printed on the invoice. `null` until it is finalized.", "ODIS-0042"],
  currency: currencyDocs,
  total_cents: ["Total of the invoice in US cents.", 2500],
  amount_paid_cents: ["Amount paid in US cents.", 2500],
  period_start: ["Start of the billing period.", "2026-11-03T09:30:00.000Z"],
  period_end: ["End of the billing period.", "2026-12-03T09:30:00.000Z"],
  created_at: ["Time at which the invoice was created.", "2026-11-03T09:30:00.000Z"],
  paid_at: ["Time of payment. `null` until the invoice is paid.", "2026-11-03T09:30:11.000Z"],
  invoice_pdf: ["URL of the invoice as a PDF file.", "https://pay.stripe.com/invoice/example/pdf"],
  charges: "Charges that attempted to pay the invoice.",
});

describeFields(EventPayment, {
  id: [
    "Identifier of the charge in Stripe. The identifier of the invoice if it was paid outside Stripe.",
    "ch_3TUQmN2eZvKYlo2C0z9y8x7w",
  ],
  invoice_id: ["Identifier of the invoice in Stripe.", "in_1TUQmN2eZvKYlo2C9i8u7y6t"],
  amount_cents: ["Amount paid for the invoice, or amount of the failed attempt, in US cents.", 2500],
  currency: currencyDocs,
  status: "Whether the invoice was paid or the attempt failed.",
  tier_id: [
    "Identifier of the tier that the invoice is for. `null` if its price belongs to no tier of the community.",
    11,
  ],
  period_start: [
    "Start of the period that the invoice is for. `null` in events that an earlier version of Odis has noted.",
    "2026-11-03T09:30:00.000Z",
  ],
  period_end: [
    "End of the period that the invoice is for. `null` in events that an earlier version of Odis has noted.",
    "2026-12-03T09:30:00.000Z",
  ],
  at: ["Time of the payment or the attempt.", "2026-11-03T09:30:11.000Z"],
});

describeFields(EventDispute, {
  id: ["Identifier of the dispute in Stripe.", "du_1TUQmN2eZvKYlo2C4r5t6y7u"],
  charge_id: ["Identifier of the disputed charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  amount_cents: ["Disputed amount in US cents.", 2500],
  status: ["Status of the dispute in Stripe.", "needs_response"],
});

describeFields(PaymentHistoryQuery, cursorQueryDocs);
describeFields(PaymentHistoryPage, cursorPageDocs);

describeFields(SubscriptionDetails, {
  id: ["Identifier of the subscription in Stripe.", "sub_1TUQmN2eZvKYlo2C3w2e1r4t"],
  status: ["Status of the subscription in Stripe, which has more values than a member's `status`.", "active"],
  ...subscriptionDocs,
  collection_method: ["How payments are collected: `charge_automatically` or `send_invoice`.", "charge_automatically"],
  price: "What this member pays.",
  default_payment_method:
    "Payment method for the next invoice: the subscription's, or the customer's if the subscription has none. `null` if there is none.",
  latest_invoice: "The newest invoice. `null` if there is none.",
  cancellation_feedback: ["Reason that was chosen for the cancellation. `null` if none was given.", "too_expensive"],
  cancellation_comment: [
    "Comment that was given for the cancellation. `null` if there is none.",
    "I am moving abroad.",
  ],
  in_sync: ["`false` if the stored record differed from Stripe. This request has updated it.", true],
});

describeFields(SubscriptionDetails.entries.price, {
  id: ["Identifier of the price in Stripe.", "price_1TUQmN2eZvKYlo2C5e6f7g8h"],
  unit_amount_cents: ["Price per interval in US cents.", 2500],
  currency: currencyDocs,
  interval: ["Billing interval.", "month"],
});

describeFields(SubscriptionDetails.entries.default_payment_method.wrapped, {
  ...cardDocs,
  exp_month: ["Month in which the card expires, 1 to 12. `null` for other payment methods.", 12],
  exp_year: ["Year in which the card expires. `null` for other payment methods.", 2030],
});

describeFields(SubscriptionDetails.entries.latest_invoice.wrapped, {
  ...invoiceDocs,
  attempts_made: ["Number of attempts to collect the payment.", 2],
  next_attempt_at: [
    "Time of Stripe's next attempt to collect the payment. `null` if none is planned.",
    "2026-11-08T09:30:00.000Z",
  ],
});
