import type Stripe from "stripe";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { planObject } from "./objects/catalog.ts";
import { idOf } from "./objects/common.ts";
import { merged } from "./parameters.ts";
import { discard } from "./pending-updates.ts";
import { isSameInterval, planItem } from "./price-change.ts";
import { release } from "./schedules.ts";
import { bill } from "./subscription-billing.ts";
import { withTaxOfPhase } from "./tax.ts";

type Phase = Stripe.SubscriptionSchedule.Phase;

/** Starts the phase of an active schedule that is due, if it has not started. */
export function startDuePhase(account: Account, id: string | null): void {
  const schedule = account.get("subscription_schedule", id);
  const subscription = account.get("subscription", schedule?.subscription);
  if (schedule?.status !== "active" || !subscription) return;
  const phase = schedule.phases.findLast(({ start_date: start }) => start <= account.now());
  const { current_phase: current } = schedule;
  if (!phase || (current?.start_date === phase.start_date && current.end_date === phase.end_date)) return;

  discard(account, subscription.id, { isExpired: true });
  const current_phase = { start_date: phase.start_date, end_date: phase.end_date };
  events.replace(account, "subscription_schedule", { ...schedule, current_phase }, "subscription_schedule.updated");
  const card = idOf(phase.default_payment_method ?? schedule.default_settings.default_payment_method) ?? null;
  const entering = { ...(account.get("subscription", subscription.id) ?? subscription), default_payment_method: card };
  enter(account, entering, phase);
}

/** Gives a subscription the price, the discounts, the tax settings and the metadata of a phase. */
function enter(account: Account, entering: Stripe.Subscription, phase: Phase): void {
  const subscription = withTaxOfPhase(entering, phase);
  const item = subscription.items.data[0];
  const changed = itemOf(account, subscription, phase);
  if (!item || !changed) return;
  const now = account.now();
  const base: Stripe.Subscription = {
    ...subscription,
    discounts: discountsOf(account, subscription, phase),
    metadata: merged(subscription.metadata, phase.metadata ?? undefined),
  };
  const resetsItself = account.faults.billing_date === "reset" && !isSameInterval(item, changed);
  const startsPeriod = phase.billing_cycle_anchor === "phase_start" || resetsItself;
  // At the end of a period, the renewal that follows bills the new period.
  if (item.current_period_end <= now) {
    const items = { ...base.items, data: [changed] };
    const anchored = { ...base, items, ...(startsPeriod && { billing_cycle_anchor: now }) };
    events.replace(account, "subscription", anchored, "customer.subscription.updated");
    return;
  }
  const isBillable = base.pause_collection === null && base.status !== "unpaid" && base.status !== "paused";
  const behavior = prorationOf(phase, { isBillable });
  const isReset = startsPeriod && isBillable && base.status !== "trialing";
  const change = planItem(account, base, { changed, isReset, behavior, date: now });
  bill(account, change, { behavior: "scheduled", metadata: null, cancelsAtPeriodEnd: null });
}

/** No invoice is made while collection is paused. */
function prorationOf({ proration_behavior: behavior }: Phase, { isBillable }: { readonly isBillable: boolean }) {
  if (behavior === "none") return "none";
  return behavior === "always_invoice" && isBillable ? "always_invoice" : "create_prorations";
}

/** The item of a subscription with the price and the quantity of a phase. */
export function itemOf(
  account: Account,
  { items }: Stripe.Subscription,
  phase: Phase,
): Stripe.SubscriptionItem | undefined {
  const [item] = items.data;
  const price = account.get("price", phase.items[0]?.price);
  if (!item || !price?.recurring) return undefined;
  return { ...item, price, plan: planObject(price, price.recurring), quantity: phase.items[0]?.quantity ?? 1 };
}

/** The discounts of a phase, without those for a single invoice that are used up. */
export const discountsOf = (account: Account, { discounts }: Stripe.Subscription, phase: Phase): string[] =>
  phase.discounts.flatMap(({ discount: reference }) => {
    const discount = account.get("discount", reference);
    const isOnce = account.get("coupon", discount?.source.coupon)?.duration === "once";
    return discount && (!isOnce || discounts.some((own) => idOf(own) === discount.id)) ? [discount.id] : [];
  });

/** The subscription as it will be at a time, if its schedule changes it until then. */
export function scheduledAt(account: Account, subscription: Stripe.Subscription, moment: number): Stripe.Subscription {
  const schedule = account.get("subscription_schedule", subscription.schedule);
  if (schedule?.status !== "active") return subscription;
  const phase = schedule.phases.findLast(({ start_date: start }) => start > account.now() && start <= moment);
  const item = phase && itemOf(account, subscription, phase);
  if (!phase || !item) return subscription;
  return {
    ...subscription,
    discounts: discountsOf(account, subscription, phase),
    items: { ...subscription.items, data: [item] },
  };
}

/** Releases a subscription after the last phase of its schedule. */
export function completeIfDue(account: Account, id: string): void {
  const schedule = account.get("subscription_schedule", id);
  if (schedule?.status !== "active" || (schedule.phases.at(-1)?.end_date ?? 0) > account.now()) return;
  release(account, id);
}
