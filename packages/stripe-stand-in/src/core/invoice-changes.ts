import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as balance from "./balance.ts";
import * as events from "./events.ts";
import { invalid, notModelled } from "./failure.ts";
import * as invoices from "./invoices.ts";
import { find } from "./lookup.ts";
import { flag } from "./parameters.ts";
import { day } from "./periods.ts";

export const InvoiceUpdate = v.strictObject({ auto_advance: v.optional(flag) });

/** `POST /v1/invoices/:id`. Enabling collection again causes an attempt a day later. */
export function update(account: Account, id: string, { auto_advance }: v.InferOutput<typeof InvoiceUpdate>) {
  const invoice = find(account, "invoice", id);
  if (invoice.status !== "open") throw invalid(`Invoice ${id} is ${invoice.status} and cannot be advanced.`);
  if (auto_advance === undefined || auto_advance === invoice.auto_advance) return invoice;
  const at = account.now() + day;
  const updated: Stripe.Invoice = { ...invoice, auto_advance, next_payment_attempt: auto_advance ? at : null };
  events.replace(account, "invoice", updated, "invoice.updated");
  if (auto_advance) schedule(account, at, { do: "retry", invoice: id });
  return updated;
}

export const InvoiceFinalization = v.strictObject({ auto_advance: v.optional(flag) });

/** `POST /v1/invoices/:id/finalize`. Supported only without the automatic collection an hour later. */
export function finalize(account: Account, id: string, { auto_advance }: v.InferOutput<typeof InvoiceFinalization>) {
  const invoice = find(account, "invoice", id);
  if (invoice.status !== "draft") throw invalid(`This invoice is already finalized, you can't re-finalize it.`);
  if (auto_advance !== false) throw notModelled("finalizing an invoice that is collected: send false", "auto_advance");
  return invoices.finalize(account, { ...invoice, auto_advance });
}

/** `POST /v1/invoices/:id/void`. Refused while a payment is processing, which is an assumption (README.md). */
export function voidInvoice(account: Account, id: string): Stripe.Invoice {
  const invoice = find(account, "invoice", id);
  if (invoice.status !== "open" && invoice.status !== "uncollectible")
    throw invalid(`You can only void open or uncollectible invoices. This invoice is ${invoice.status}.`);
  invoices.assertNotProcessing(account, id);
  cancelExpected(account, id);
  const voided: Stripe.Invoice = {
    ...invoice,
    status: "void",
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: account.now() },
  };
  account.put("invoice", voided);
  events.emit(account, "invoice.voided", voided);
  balance.unapply(account, voided);
  return voided;
}

/** Marks an invoice as uncollectible, which may still be paid or voided. */
export function giveUp(account: Account, invoice: Stripe.Invoice): void {
  const status_transitions = { ...invoice.status_transitions, marked_uncollectible_at: account.now() };
  const left: Stripe.Invoice = { ...invoice, status: "uncollectible", auto_advance: false, status_transitions };
  account.put("invoice", left);
  events.emit(account, "invoice.marked_uncollectible", left);
}

/** Cancels the open payment of an invoice through Stripe. */
function cancelExpected(account: Account, invoice: string): void {
  const now = account.now();
  for (const payment of account.rows("invoice_payment")) {
    if (payment.invoice !== invoice || payment.status !== "open") continue;
    const status_transitions = { canceled_at: now, paid_at: null };
    account.put("invoice_payment", { ...payment, status: "canceled", status_transitions });
    const intent = account.get("payment_intent", payment.payment.payment_intent);
    if (!intent) continue;
    const canceled: Stripe.PaymentIntent = { ...intent, status: "canceled", canceled_at: now };
    events.replace(account, "payment_intent", canceled, "payment_intent.canceled");
  }
}

/** Marks an open invoice as paid outside Stripe, and cancels its payment through Stripe. */
export function payElsewhere(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  if (invoice.status !== "open") throw invalid(`Invoice ${invoice.id} is ${invoice.status} and cannot be paid.`);
  invoices.assertNotProcessing(account, invoice.id);
  const now = account.now();
  cancelExpected(account, invoice.id);
  const record: Stripe.InvoicePayment = {
    id: account.newId("inpay"),
    object: "invoice_payment",
    amount_paid: invoice.amount_remaining,
    amount_requested: invoice.amount_remaining,
    created: now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: false,
    livemode: false,
    payment: { payment_record: account.newId("pr"), type: "payment_record" },
    status: "paid",
    status_transitions: { canceled_at: null, paid_at: now },
  };
  events.create(account, "invoice_payment", record, "invoice_payment.paid");
  return invoices.settled(account, invoice);
}
