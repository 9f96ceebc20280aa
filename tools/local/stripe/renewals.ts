import type Stripe from "stripe";
import { schedule } from "./agenda.ts";
import { pursue } from "./collection.ts";
import * as events from "./events.ts";
import * as invoices from "./invoices.ts";
import { day, periodEnd } from "./periods.ts";
import { end, isOver } from "./subscription-end.ts";
import type { World } from "./world.ts";

/** A period is over: the next one begins and is billed, or the subscription ends as it was told to. */
export function renew(world: World, id: string): void {
  const subscription = world.get("subscription", id);
  const item = subscription?.items.data[0];
  if (!subscription || !item || isOver(subscription)) return;
  const { cancel_at: cancelAt, billing_cycle_anchor: anchor } = subscription;
  const { current_period_start: pastStart, current_period_end: start, price, plan } = item;
  if (cancelAt !== null && cancelAt <= start) {
    end(world, subscription, "cancellation_requested");
    return;
  }

  const period = { start, end: periodEnd(start, anchor, plan) };
  schedule(world, period.end, { do: "renew", subscription: id });
  const next = { ...item, current_period_start: period.start, current_period_end: period.end };
  const renewed: Stripe.Subscription = { ...subscription, items: { ...subscription.items, data: [next] } };
  // An unpaid one goes on without being asked for more.
  if (subscription.status === "unpaid") {
    events.replace(world, "subscription", renewed, "customer.subscription.updated");
    return;
  }

  const invoice = invoices.issue(world, {
    subscription: renewed,
    reason: "subscription_cycle",
    amount: (price.unit_amount ?? 0) * (item.quantity ?? 1),
    period,
    past: { start: pastStart, end: start },
  });
  const isTrialOver = subscription.status === "trialing";
  const billed = { ...renewed, latest_invoice: invoice.id, ...(isTrialOver && { status: "active" as const }) };
  events.replace(world, "subscription", billed, "customer.subscription.updated");
  if (invoice.status === "open") pursue(world, invoice);
}

/** The moment that `cancel_at` named, unless it has been moved or taken back. */
export function cancelAsScheduled(world: World, id: string): void {
  const subscription = world.get("subscription", id);
  if (!subscription || isOver(subscription) || subscription.cancel_at === null) return;
  if (subscription.cancel_at <= world.now()) end(world, subscription, "cancellation_requested");
}

/** Three days before the first payment. */
export function announceTrialEnd(world: World, id: string): void {
  const subscription = world.get("subscription", id);
  if (subscription?.status !== "trialing" || subscription.trial_end === null) return;
  if (subscription.trial_end - world.now() <= 3 * day)
    events.emit(world, "customer.subscription.trial_will_end", subscription);
}

/** The time for another automatic attempt, unless the invoice was paid or left meanwhile. */
export function retry(world: World, id: string): void {
  const invoice = world.get("invoice", id);
  if (invoice?.status === "open" && invoice.next_payment_attempt === world.now()) pursue(world, invoice);
}
