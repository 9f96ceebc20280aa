import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { words } from "./objects/common.ts";
import { renew } from "./renewals.ts";

/** The reason for a pause. Null resumes the subscription. */
export const Pause = v.nullable(
  v.picklist(words("pause_requested first_payment_failure final_payment_failure trial_end_without_payment_method")),
);

/** Pauses a subscription, which has no invoices and no new period until it is resumed. */
export function pause(
  account: Account,
  subscription: Stripe.Subscription,
  type: NonNullable<v.InferOutput<typeof Pause>>,
): Stripe.Subscription {
  if (subscription.schedule !== null) throw invalid("You cannot pause a subscription that has a schedule.");
  const reason = { type: "subscription", subscription: { type }, transitioned_at: account.now() };
  const paused: Stripe.Subscription = { ...subscription, status: "paused", status_details: { paused: reason } };
  events.replace(account, "subscription", paused, "customer.subscription.paused");
  return paused;
}

/** Resumes a subscription. Its new period begins and is billed immediately. */
export function resume(account: Account, subscription: Stripe.Subscription): Stripe.Subscription {
  if (subscription.status !== "paused") throw invalid("You cannot resume a subscription that is not paused.");
  const now = account.now();
  const { status_details: _, ...before } = subscription;
  const data = before.items.data.map((item) => ({ ...item, current_period_end: now }));
  const items = { ...before.items, data };
  const resumed: Stripe.Subscription = { ...before, status: "active", billing_cycle_anchor: now, items };
  events.replace(account, "subscription", resumed, "customer.subscription.resumed");
  renew(account, subscription.id);
  return account.get("subscription", subscription.id) ?? resumed;
}
