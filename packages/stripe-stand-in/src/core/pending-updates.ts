import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import * as invoiceChanges from "./invoice-changes.ts";
import { nulls } from "./objects/common.ts";
import { merged } from "./parameters.ts";
import type { PendingChange } from "./state.ts";

/** How long a change may wait for its payment, in seconds. */
const longestWait = 23 * 3600;

const supported: readonly string[] = [
  "payment_behavior",
  "proration_behavior",
  "proration_date",
  "billing_cycle_anchor",
  "items",
  "metadata",
  "cancel_at_period_end",
];

/**
 * @throws ApiFailure 400 for a parameter that cannot wait for a payment
 * @see https://docs.stripe.com/billing/subscriptions/pending-updates-reference
 */
export function assertSupported(params: object): void {
  const other = Object.entries(params).find(([name, value]) => value !== undefined && !supported.includes(name));
  if (!other) return;
  const words = `When \`payment_behavior\` is set to \`pending_if_incomplete\`, you can only pass supported params. \`${other[0]}\` is not supported. See https://stripe.com/docs/billing/subscriptions/pending-updates-reference#supported-attributes for more details.`;
  throw invalid(words, { param: other[0] });
}

/** Keeps a change until its invoice is paid, at most 23 hours, and not beyond the period or the trial. */
export function hold(
  account: Account,
  subscription: Stripe.Subscription,
  change: Omit<PendingChange, "id">,
): Stripe.Subscription {
  const end = subscription.items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY;
  const trialEnd = subscription.status === "trialing" ? (subscription.trial_end ?? end) : end;
  const expires_at = Math.min(account.now() + longestWait, end, trialEnd);
  const held: Stripe.Subscription = {
    ...subscription,
    latest_invoice: change.invoice,
    pending_update: {
      billing_cycle_anchor: change.anchor,
      cancel_at_period_end: change.cancelsAtPeriodEnd,
      expires_at,
      metadata: change.metadata,
      subscription_items: [...change.items],
      ...nulls("discount discounts trial_end trial_from_plan"),
    },
  };
  account.put("pending_change", { ...change, id: subscription.id });
  schedule(account, expires_at, { do: "expire_update", subscription: subscription.id });
  events.replace(account, "subscription", held, "customer.subscription.updated");
  return held;
}

/** Applies the change whose invoice is paid. */
export function applyPaid(account: Account, invoice: string): boolean {
  const change = heldBy(account, invoice);
  const subscription = account.get("subscription", change?.id);
  if (!change || !subscription) return false;
  const before = subscription.items.data[0]?.current_period_end;
  const end = change.items[0]?.current_period_end;
  const cancelAt = change.cancelsAtPeriodEnd === true ? (end ?? null) : null;
  const applied: Stripe.Subscription = {
    ...subscription,
    ...(change.anchor !== null && { billing_cycle_anchor: change.anchor }),
    ...(cancelAt !== null && { cancel_at: cancelAt, cancel_at_period_end: true, canceled_at: account.now() }),
    discounts: [...change.discounts],
    items: { ...subscription.items, data: [...change.items] },
    metadata: merged(subscription.metadata, change.metadata ?? undefined),
    pending_update: null,
    ...(subscription.status === "past_due" && { status: "active" as const }),
  };
  account.remove("pending_change", subscription.id);
  events.replace(account, "subscription", applied, "customer.subscription.updated");
  events.emit(account, "customer.subscription.pending_update_applied", applied);
  if (end !== undefined && end !== before) schedule(account, end, { do: "renew", subscription: subscription.id });
  if (cancelAt !== null) schedule(account, cancelAt, { do: "cancel", subscription: subscription.id });
  return true;
}

const heldBy = (account: Account, invoice: string): PendingChange | undefined =>
  [...account.rows("pending_change")].find((change) => change.invoice === invoice);

/** Discards the waiting change of a subscription, and voids its invoice. */
export function discard(account: Account, id: string, { isExpired }: { readonly isExpired: boolean }): void {
  const change = account.get("pending_change", id);
  if (!change) return;
  if (account.get("invoice", change.invoice)?.status === "open") invoiceChanges.voidInvoice(account, change.invoice);
  clear(account, change);
  const subscription = account.get("subscription", id);
  if (isExpired && subscription) events.emit(account, "customer.subscription.pending_update_expired", subscription);
}

/** Discards a waiting change that says something else about the end of the period than an update does. */
export function expireOnConflict(
  account: Account,
  { id, pending_update: held }: Stripe.Subscription,
  cancels: boolean | undefined,
): void {
  if (!held || cancels === undefined || cancels === (held.cancel_at_period_end ?? false)) return;
  if (held.cancel_at_period_end === null && account.faults.canceled_pending_update === "kept") return;
  discard(account, id, { isExpired: true });
}

/** Discards a waiting change that is due. */
export function expireIfDue(account: Account, id: string): void {
  const expiry = account.get("subscription", id)?.pending_update?.expires_at;
  if (expiry !== undefined && expiry <= account.now()) discard(account, id, { isExpired: true });
}

/** `POST /v1/invoices/:id/void`. Cancels the change that waits for the invoice. */
export function voidInvoice(account: Account, id: string): Stripe.Invoice {
  const voided = invoiceChanges.voidInvoice(account, id);
  const change = heldBy(account, id);
  if (change) clear(account, change);
  return voided;
}

function clear(account: Account, { id, swept }: PendingChange): void {
  account.remove("pending_change", id);
  release(account, swept);
  const subscription = account.get("subscription", id);
  if (subscription)
    events.replace(account, "subscription", { ...subscription, pending_update: null }, "customer.subscription.updated");
}

/** Makes prorations pending again that were on an invoice which was voided with its change. */
export function release(account: Account, items: readonly string[]): void {
  for (const id of items) {
    const item = account.get("invoiceitem", id);
    if (item) account.put("invoiceitem", { ...item, invoice: null });
  }
}
