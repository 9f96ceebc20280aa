import type Stripe from "stripe";
import type { Account } from "./account.ts";
import * as balance from "./balance.ts";
import * as customers from "./customers.ts";
import { reductionsOf } from "./discounts.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { pendingItems, sweptLines } from "./invoice-lines.ts";
import { idOf } from "./objects/common.ts";
import { invoiceObject, invoicePaymentObject, type LineFields, lineObject } from "./objects/invoice.ts";
import { intentObject } from "./objects/payment.ts";
import type { Period } from "./objects/subscription.ts";
import * as payments from "./payments.ts";

export const subscriptionOf = ({ parent }: Stripe.Invoice): string | null =>
  idOf(parent?.subscription_details?.subscription);

export type Bill = {
  readonly subscription: Stripe.Subscription;
  readonly reason: Stripe.Invoice.BillingReason;
  /** The lines besides the pending prorations of the subscription, which come first. */
  readonly lines: readonly LineFields[];
  /** The previous period. */
  readonly past: Period;
};

/**
 * Creates and finalizes an invoice. Stripe itself finalizes the invoice of a renewal an hour later. An invoice of 0 is
 * paid immediately.
 */
export const issue = (account: Account, bill: Bill): Stripe.Invoice => finalize(account, draft(account, bill));

/** Creates an invoice that is not finalized. */
export function draft(account: Account, { subscription, reason, lines, past }: Bill): Stripe.Invoice {
  const customer = customers.ownerOf(account, subscription);
  const created = account.now();
  const sweeps = pendingItems(account, subscription.id).map((item) => ({ id: account.newId("il"), item }));
  const billed = lines.map((line) => ({ id: account.newId("il"), line }));
  const reductions = reductionsOf(account, subscription, discountable(lines));
  const id = account.newId("in");
  const swept = sweptLines(account, id, sweeps).map((line, n) => ({ id: sweeps[n]?.id ?? "", line }));
  for (const { item } of sweeps) account.put("invoiceitem", { ...item, invoice: id });
  const data = [...swept, ...billed].map((entry) =>
    lineObject({ ...entry.line, id: entry.id, invoice: id, reductions }),
  );
  const invoice = invoiceObject({ id, created, customer, subscription, reason, period: past, lines: data, reductions });
  events.create(account, "invoice", invoice, "invoice.created");
  return invoice;
}

/** The amount that discounts apply to. Prorations are net of discounts. */
export const discountable = (lines: readonly LineFields[]): number =>
  lines.reduce((sum, { amount, proration }) => (proration ? sum : sum + amount), 0);

/**
 * Creates the invoice of a period whose collection is paused with `void`. If there is something to pay, the invoice is open, is
 * to be voided at once, and uses none of the customer's balance (README.md).
 */
export function issueUncollected(account: Account, bill: Bill): Stripe.Invoice {
  const invoice = draft(account, bill);
  const { total, starting_balance } = invoice;
  if (total <= 0) return finalize(account, invoice);
  return open(account, { ...invoice, amount_due: total, amount_remaining: total, ending_balance: starting_balance });
}

/** Finalizes a draft. */
export function finalize(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  const opened = open(account, balance.apply(account, customers.ownerOf(account, invoice), invoice));
  return opened.amount_due > 0 ? opened : settled(account, opened);
}

function open(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  const customer = customers.ownerOf(account, invoice);
  const finalized_at = account.now();
  const sequence = customer.next_invoice_sequence ?? 1;
  const numbered: Stripe.Customer = { ...customer, next_invoice_sequence: sequence + 1 };
  account.put("customer", numbered);
  const opened: Stripe.Invoice = {
    ...invoice,
    status: "open",
    number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
    effective_at: finalized_at,
    hosted_invoice_url: `${account.baseUrl}/_fake/invoice/${invoice.id}`,
    invoice_pdf: `${account.baseUrl}/_fake/invoice/${invoice.id}/pdf`,
    status_transitions: { ...invoice.status_transitions, finalized_at },
  };
  if (opened.amount_due > 0) expectPayment(account, opened, customer);
  account.put("invoice", opened);
  events.emit(account, "invoice.finalized", opened);
  return opened;
}

function expectPayment(account: Account, invoice: Stripe.Invoice, customer: Stripe.Customer): void {
  const description =
    invoice.billing_reason === "subscription_create" ? "Subscription creation" : "Subscription update";
  const intent = intentObject({
    id: account.newId("pi"),
    created: account.now(),
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: customer.id,
    description,
  });
  events.create(account, "payment_intent", intent, "payment_intent.created");
  account.put("invoice_payment", invoicePaymentObject({ id: account.newId("inpay"), invoice, intent }));
}

export type Attempt = {
  readonly invoice: Stripe.Invoice;
  readonly charge: Stripe.Charge | null;
  readonly isPaid: boolean;
  readonly isPending: boolean;
  /** Whether the customer has to confirm the payment. */
  readonly needsAction: boolean;
};

type Collection = {
  readonly card: string | null;
  /** Whether the attempt was made manually. Manual attempts do not count towards the automatic ones. */
  readonly isManual: boolean;
};

/** Whether a payment of an invoice is pending, which may still succeed. */
export function isProcessing(account: Account, invoice: string): boolean {
  const expected = [...account.rows("invoice_payment")].filter(
    (row) => row.invoice === invoice && row.status === "open",
  );
  const intents = expected.map(({ payment }) => account.get("payment_intent", payment.payment_intent));
  return intents.some((intent) => intent?.status === "processing");
}

/** @throws ApiFailure while a payment of an invoice is processing: it cannot be canceled */
export function assertNotProcessing(account: Account, invoice: string): void {
  if (isProcessing(account, invoice))
    throw invalid(`Invoice ${invoice} has a payment that is processing and cannot be voided or paid otherwise.`);
}

/** Attempts to collect an open invoice. Without a card the attempt fails without a charge. */
export function collect(account: Account, invoice: Stripe.Invoice, { card, isManual }: Collection): Attempt {
  const payment = [...account.rows("invoice_payment")].find(
    (row) => row.invoice === invoice.id && row.status === "open",
  );
  const intent = account.get("payment_intent", payment?.payment.payment_intent);
  if (!payment || !intent) throw new Error(`Invoice ${invoice.id} expects no payment`);
  const customer = customers.ownerOf(account, invoice);
  const charge = card === null ? null : payments.attempt(account, { intent, customer, card });
  const needsAction = card !== null && charge === null;
  const isFirst = !invoice.attempted;
  const attempted: Stripe.Invoice = {
    ...invoice,
    attempted: true,
    attempt_count: invoice.attempt_count + (isManual && !isFirst ? 0 : 1),
  };
  if (charge?.status === "succeeded")
    return { invoice: paidBy(account, attempted, payment, charge), charge, ...paidNow };
  events.replace(account, "invoice", attempted, "invoice.updated");
  const isPending = charge?.status === "pending";
  if (needsAction) events.emit(account, "invoice.payment_action_required", attempted);
  if (!isPending) events.emit(account, "invoice.payment_failed", attempted);
  return { invoice: attempted, charge, isPaid: false, isPending, needsAction };
}

const paidNow = { isPaid: true, isPending: false, needsAction: false } as const;

function paidBy(
  account: Account,
  invoice: Stripe.Invoice,
  payment: Stripe.InvoicePayment,
  charge: Stripe.Charge,
): Stripe.Invoice {
  const paid: Stripe.InvoicePayment = {
    ...payment,
    amount_paid: charge.amount,
    status: "paid",
    status_transitions: { canceled_at: null, paid_at: account.now() },
  };
  events.create(account, "invoice_payment", paid, "invoice_payment.paid");
  return settled(account, invoice);
}

/** Settles the invoice of a charge that has settled. */
export function settleInvoice(account: Account, charge: Stripe.Charge): Attempt | undefined {
  const payment = [...account.rows("invoice_payment")].find((row) => {
    return row.payment.payment_intent === charge.payment_intent && row.status === "open";
  });
  const invoice = account.get("invoice", payment?.invoice);
  if (!payment || !invoice) return undefined;
  if (charge.status === "succeeded") return { invoice: paidBy(account, invoice, payment, charge), charge, ...paidNow };
  events.emit(account, "invoice.payment_failed", invoice);
  return { invoice, charge, isPaid: false, isPending: false, needsAction: false };
}

/** An invoice that is paid. */
export function settled(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  const paid: Stripe.Invoice = {
    ...invoice,
    status: "paid",
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: account.now() },
  };
  events.replace(account, "invoice", paid, "invoice.updated");
  events.emit(account, "invoice.paid", paid);
  events.emit(account, "invoice.payment_succeeded", paid);
  return paid;
}
