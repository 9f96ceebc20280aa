import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import { pursue } from "./collection.ts";
import * as customers from "./customers.ts";
import { afterInvoice } from "./discounts.ts";
import * as events from "./events.ts";
import { giveUp, voidInvoice } from "./invoice-changes.ts";
import { pendingItems, periodLine, priceOf } from "./invoice-lines.ts";
import * as invoices from "./invoices.ts";
import { idOf } from "./objects/common.ts";
import { expireIfDue } from "./pending-updates.ts";
import { day, periodEnd } from "./periods.ts";
import { startDuePhase } from "./schedule-phases.ts";
import { end, isOver } from "./subscription-end.ts";

/** Ends a period: starts and bills the next one, or ends the subscription if that was scheduled. */
export function renew(account: Account, id: string): void {
  expireIfDue(account, id);
  startDuePhase(account, idOf(account.get("subscription", id)?.schedule));
  const subscription = account.get("subscription", id);
  const item = subscription?.items.data[0];
  if (!subscription || !item || isOver(subscription) || subscription.status === "paused") return;
  const { cancel_at: cancelAt, billing_cycle_anchor: anchor } = subscription;
  const { current_period_start: pastStart, current_period_end: start, plan } = item;
  // The subscription was paused in the meantime, which has moved its period.
  if (start > account.now()) return;
  if (cancelAt !== null && cancelAt <= start) {
    endAsScheduled(account, subscription);
    return;
  }

  const period = { start, end: periodEnd(start, anchor, plan) };
  schedule(account, period.end, { do: "renew", subscription: id });
  const next = { ...item, current_period_start: period.start, current_period_end: period.end };
  const renewed: Stripe.Subscription = { ...subscription, items: { ...subscription.items, data: [next] } };
  // An unpaid subscription continues without new invoices.
  if (subscription.status === "unpaid") {
    events.replace(account, "subscription", renewed, "customer.subscription.updated");
    return;
  }

  const { pause_collection: pause } = subscription;
  const bill = {
    subscription: renewed,
    reason: "subscription_cycle" as const,
    lines: [periodLine(account, next, period, priceOf(next))],
    past: { start: pastStart, end: start },
  };
  const invoice = issuerFor(pause)(account, bill);
  const isTrialOver = subscription.status === "trialing";
  const billed = afterInvoice(account, {
    ...renewed,
    latest_invoice: invoice.id,
    ...(isTrialOver && { status: "active" as const }),
  });
  events.replace(account, "subscription", billed, "customer.subscription.updated");
  if (invoice.status !== "open") return;
  if (!pause) pursue(account, invoice);
  else if (pause.behavior === "void") voidInvoice(account, invoice.id);
  else giveUp(account, invoice);
}

/** How the invoice of a period is created. */
function issuerFor(pause: Stripe.Subscription.PauseCollection | null) {
  if (pause?.behavior === "keep_as_draft") return keptAsDraft;
  return pause?.behavior === "void" ? invoices.issueUncollected : invoices.issue;
}

/** A draft that is never finalized automatically, even after collection is resumed. */
function keptAsDraft(account: Account, bill: invoices.Bill): Stripe.Invoice {
  const draft: Stripe.Invoice = { ...invoices.draft(account, bill), auto_advance: false };
  events.replace(account, "invoice", draft, "invoice.updated");
  return draft;
}

/** Ends a subscription at its `cancel_at`, unless that was moved or removed. */
export function cancelAsScheduled(account: Account, id: string): void {
  const subscription = account.get("subscription", id);
  if (!subscription || isOver(subscription) || subscription.cancel_at === null) return;
  if (subscription.cancel_at <= account.now()) endAsScheduled(account, subscription);
}

/** Ends a subscription as it was scheduled. Pending prorations are billed on a last invoice. */
function endAsScheduled(account: Account, subscription: Stripe.Subscription): void {
  const [item] = subscription.items.data;
  if (pendingItems(account, subscription.id).length > 0 && item) {
    const past = { start: item.current_period_start, end: account.now() };
    const invoice = invoices.issue(account, { subscription, reason: "subscription_cycle", lines: [], past });
    account.put("subscription", { ...subscription, latest_invoice: invoice.id });
    if (invoice.status === "open") pursue(account, invoice);
  }
  end(account, account.get("subscription", subscription.id) ?? subscription, "cancellation_requested");
}

/** Sends the event that a trial ends in three days. */
export function announceTrialEnd(account: Account, id: string): void {
  const subscription = account.get("subscription", id);
  if (subscription?.status !== "trialing" || subscription.trial_end === null) return;
  if (subscription.trial_end - account.now() <= 3 * day)
    events.emit(account, "customer.subscription.trial_will_end", subscription);
}

/**
 * Makes the next automatic attempt, unless the invoice was paid, is being paid or was abandoned in the meantime, or its
 * customer was deleted.
 */
export function retry(account: Account, id: string): void {
  const invoice = account.get("invoice", id);
  if (invoice?.status !== "open" || invoice.next_payment_attempt !== account.now()) return;
  if (customers.isDeleted(account, invoice)) return;
  if (!invoices.isProcessing(account, id)) pursue(account, invoice);
}
