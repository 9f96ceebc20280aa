import type { ShownIn } from "../fields/field.ts";
import type { transactionFields } from "../fields/transaction.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";
import { Transaction, TransactionPage, TransactionQuery } from "./transaction.ts";

/** What the documents say of a transaction. */
export const transactionDocs = {
  id: ["Unique identifier: that of the invoice, refund or dispute at Stripe.", "in_1QxW2eKZ8cLq"],
  type: ["What it is. A payment is a paid invoice of a member.", "payment"],
  status: [
    "`succeeded` for a payment. Status of a refund or dispute at Stripe, such as `pending` or `needs_response`.",
    "succeeded",
  ],
  day: ["Day of `at` in UTC.", "2026-11-21"],
  at: ["Time at which the invoice was paid, the refund was issued or the dispute began.", "2026-11-21T05:16:02.000Z"],
  amount_cents: ["Amount in US cents. Always positive.", 2500],
  member: "The member, with the current name. The name is `null` if the person was erased.",
  period_start: ["Start of the period that the invoice is for. `null` if unknown.", "2026-11-21T05:16:02.000Z"],
  period_end: ["End of the period that the invoice is for. `null` if unknown.", "2026-12-21T05:16:02.000Z"],
  charge_id: ["Charge at Stripe. `null` for an invoice that was paid outside Stripe.", "ch_3QxW2fKZ8cLq"],
  invoice_id: ["Invoice at Stripe. `null` if unknown.", "in_1QxW2eKZ8cLq"],
  refund_id: ["Refund at Stripe. `null` for other types.", null],
  dispute_id: ["Dispute at Stripe. `null` for other types.", null],
  stripe_url: [
    "Page of the payment or dispute in Stripe's dashboard.",
    "https://dashboard.stripe.com/payments/ch_3QxW2fKZ8cLq",
  ],
  invoice_url: [
    "Page of the invoice in Stripe's dashboard. `null` without `invoice_id`.",
    "https://dashboard.stripe.com/invoices/in_1QxW2eKZ8cLq",
  ],
  receipt_url: [
    "Stripe's receipt for the member. `null` from 30 days after `at`, because Stripe's link has expired, if the person was erased, and for a transaction that was stored before this version.",
    "https://pay.stripe.com/receipts/example",
  ],
  reason: [
    "Reason of a refund or dispute, such as `requested_by_customer` or `fraudulent`. `null` for payments, and for a dispute from before the update until the member's next synchronization.",
    null,
  ],
  evidence_due_at: ["Time until which a dispute can be answered at Stripe. `null` if there is none.", null],
} as const satisfies Record<ShownIn<typeof transactionFields, "api">, FieldDoc>;

describeFields(Transaction, transactionDocs);
describeFields(Transaction.entries.member, {
  id: ["Identifier of the member.", 6312],
  name: ["Current name of the member. `null` if the person was erased.", "Anna Lena"],
});

describeFields(TransactionQuery, {
  ...cursorQueryDocs,
  type: ["Only transactions of this type.", "refund"],
  status: [
    "Only transactions with this status. A page may have fewer, or none, although `has_more` is true.",
    "needs_response",
  ],
  from: ["First day, in UTC.", "2026-11-01"],
  to: ["Last day, in UTC.", "2026-11-30"],
});

describeFields(TransactionPage, cursorPageDocs);
