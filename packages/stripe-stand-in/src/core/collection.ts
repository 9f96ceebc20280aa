import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { authenticationRequired, cardDeclined, invalid } from "./failure.ts";
import * as invoices from "./invoices.ts";
import { find } from "./lookup.ts";
import { idOf } from "./objects/common.ts";
import { text } from "./parameters.ts";
import * as payments from "./payments.ts";
import { applyPaid } from "./pending-updates.ts";
import { day } from "./periods.ts";
import { end, isOver } from "./subscription-end.ts";

export const InvoicePay = v.strictObject({ payment_method: v.optional(text) });

/** Days between failed automatic attempts. Stripe's own schedule varies. This schedule is fixed. */
const retryAfter: readonly number[] = [3, 5, 7];

/** `POST /v1/invoices/:id/pay`. A declined payment returns 402, and its changes are kept. */
export function pay(account: Account, id: string, params: v.InferOutput<typeof InvoicePay>): Stripe.Invoice {
  const invoice = find(account, "invoice", id);
  if (invoice.status === "paid") throw invalid("Invoice is already paid");
  if (invoice.status !== "open") throw invalid(`Invoice ${id} is ${invoice.status} and cannot be paid.`);
  invoices.assertNotProcessing(account, id);
  const customer = idOf(invoice.customer) ?? "";
  const card = params.payment_method && customers.ownCard(account, customer, params.payment_method);
  const attempt = pursue(account, invoice, { card: card ?? null, isManual: true });
  if (attempt.isPaid || attempt.isPending) return attempt.invoice;
  if (attempt.charge) throw cardDeclined(attempt.charge);
  if (attempt.needsAction) throw authenticationRequired("invoice");
  throw invalid(noCard, { code: "resource_missing" });
}

export const noCard =
  "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://docs.stripe.com/billing/subscriptions/payment-methods-setting#payment-method-priority.";

/** The card that a subscription is charged to. */
export const cardFor = (account: Account, subscription: Stripe.Subscription): string | null =>
  idOf(subscription.default_payment_method) ?? customers.defaultCard(customers.ownerOf(account, subscription));

type Pursuit = {
  /** A card to charge instead of the subscription's. */
  readonly card?: string | null;
  readonly isManual?: boolean;
};

/** Attempts to collect an open invoice, and changes its subscription accordingly: active, past due, or ended. */
export function pursue(account: Account, invoice: Stripe.Invoice, { card, isManual = false }: Pursuit = {}) {
  const owner = account.get("subscription", invoices.subscriptionOf(invoice));
  if (!owner) throw new Error(`Invoice ${invoice.id} belongs to no subscription`);
  const charged = card ?? cardFor(account, owner);
  const attempt = invoices.collect(account, invoice, { card: charged, isManual });
  if (isOver(owner)) return attempt;
  const subscription = attempt.isPaid && charged !== null ? savingCard(account, owner, charged) : owner;
  if (account.get("pending_change", subscription.id)?.invoice === invoice.id) {
    if (attempt.isPaid || attempt.isPending) applyPaid(account, invoice.id);
    return attempt;
  }
  if (attempt.isPaid || attempt.isPending) {
    const isActive = subscription.latest_invoice === invoice.id && subscription.status !== "trialing";
    if (isActive) become(account, subscription, "active");
  } else if (!isManual && subscription.status !== "incomplete") retryLater(account, attempt.invoice, subscription);
  return attempt;
}

/** The subscription with the card that has paid, if it saves the card. */
function savingCard(account: Account, subscription: Stripe.Subscription, card: string): Stripe.Subscription {
  if (subscription.payment_settings?.save_default_payment_method !== "on_subscription") return subscription;
  const saved = { ...subscription, default_payment_method: card };
  events.replace(account, "subscription", saved, "customer.subscription.updated");
  return saved;
}

/** Settles a charge that is still pending, and changes its invoice and subscription accordingly. */
export function settleCharge(account: Account, id: string, status: "succeeded" | "failed"): void {
  const pending = account.get("charge", id);
  if (pending?.status !== "pending") return;
  const attempt = invoices.settleInvoice(account, payments.settle(account, pending, status));
  if (!attempt) return;
  announce(account, attempt);
  const subscription = account.get("subscription", invoices.subscriptionOf(attempt.invoice));
  if (!subscription || isOver(subscription)) return;
  if (!attempt.isPaid) retryLater(account, attempt.invoice, subscription);
  else if (subscription.latest_invoice === attempt.invoice.id) become(account, subscription, "active");
}

/** Sends the outcome of the payment of a Checkout session that was completed before the payment settled. */
function announce(account: Account, { invoice, isPaid }: invoices.Attempt): void {
  const session = [...account.rows("checkout.session")].find((row) => row.invoice === invoice.id);
  if (session?.payment_status !== "unpaid") return;
  const settled: Stripe.Checkout.Session = { ...session, payment_status: isPaid ? "paid" : "unpaid" };
  account.put("checkout.session", settled);
  events.emit(account, `checkout.session.async_payment_${isPaid ? "succeeded" : "failed"}`, settled);
}

/** Schedules another attempt. After the last one, ends the subscription or gives it the status that `after_retries` says. */
function retryLater(account: Account, invoice: Stripe.Invoice, subscription: Stripe.Subscription): void {
  const days = retryAfter[invoice.attempt_count - 1];
  if (days !== undefined) {
    const at = account.now() + days * day;
    events.replace(account, "invoice", { ...invoice, next_payment_attempt: at }, "invoice.updated");
    schedule(account, at, { do: "retry", invoice: invoice.id });
    become(account, subscription, "past_due");
    return;
  }
  events.replace(account, "invoice", { ...invoice, next_payment_attempt: null }, "invoice.updated");
  const last = account.faults.after_retries;
  if (last === "canceled") end(account, subscription, "payment_failed");
  else become(account, subscription, last);
}

function become(account: Account, subscription: Stripe.Subscription, status: Stripe.Subscription.Status): void {
  events.replace(account, "subscription", { ...subscription, status }, "customer.subscription.updated");
}
