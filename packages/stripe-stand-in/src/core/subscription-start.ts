import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as collection from "./collection.ts";
import * as events from "./events.ts";
import { periodLine, priceOf } from "./invoice-lines.ts";
import * as invoices from "./invoices.ts";
import type { Interval } from "./objects/catalog.ts";
import { subscriptionObject } from "./objects/subscription.ts";
import type { Tax } from "./objects/tax.ts";
import { day, periodEnd } from "./periods.ts";
import { withTax } from "./tax.ts";

type Plan = {
  readonly customer: string;
  readonly price: Stripe.Price;
  readonly interval: Interval;
  readonly quantity: number;
  readonly trialDays: number | null;
  readonly card: string | null;
  readonly description: string | null;
  readonly metadata: Stripe.Metadata;
  /**
   * When the first event is sent. Checkout sends it before the first payment, and an update after it; the API sends
   * it after the first payment.
   */
  readonly announced: "before_payment" | "after_payment";
  /** Whether to take the first payment now. */
  readonly isPaidNow: boolean;
  /** Whether a card that pays an invoice becomes that of the subscription. */
  readonly savesCard?: boolean;
  readonly tax?: Tax;
};

/** How long a first payment may take, in seconds. */
const firstPaymentTimeoutSeconds = 23 * 3600;

/** Starts a subscription: with a trial, or incomplete until its first invoice is paid. */
export function begin(account: Account, plan: Plan): Stripe.Subscription {
  const { customer, price, interval, quantity, trialDays, card, description, metadata } = plan;
  const start = account.now();
  const trialEnd = trialDays === null ? null : start + trialDays * day;
  const isTrial = trialEnd !== null;
  const period = { start, end: trialEnd ?? periodEnd(start, start, interval) };
  const status = isTrial ? "trialing" : "incomplete";
  const created = subscriptionObject({
    id: account.newId("sub"),
    itemId: account.newId("si"),
    price,
    interval,
    quantity,
    period,
    savesCard: plan.savesCard ?? false,
    given: { customer, status, trial_end: trialEnd, default_payment_method: card, description, metadata },
  });
  const fresh = withTax(created, plan.tax ?? {});

  account.put("subscription", fresh);
  schedule(account, period.end, { do: "renew", subscription: fresh.id });
  if (isTrial) {
    const announcement = Math.max(start, trialEnd - 3 * day);
    schedule(account, announcement, { do: "announce_trial_end", subscription: fresh.id });
  } else schedule(account, start + firstPaymentTimeoutSeconds, { do: "expire", subscription: fresh.id });

  const lines = fresh.items.data.map((item) => periodLine(account, item, period, isTrial ? 0 : priceOf(item)));
  const past = { start, end: start };
  const invoice = invoices.issue(account, { subscription: fresh, reason: "subscription_create", lines, past });
  const billed: Stripe.Subscription = { ...fresh, latest_invoice: invoice.id };
  account.put("subscription", billed);
  if (plan.announced === "before_payment") events.emit(account, "customer.subscription.created", billed);

  if (plan.isPaidNow && invoice.status === "open") {
    collection.pursue(account, invoice);
  } else if (invoice.status === "paid" && !isTrial) {
    events.replace(account, "subscription", { ...billed, status: "active" }, "customer.subscription.updated");
  }
  const begun = account.get("subscription", fresh.id) ?? billed;
  if (plan.announced === "after_payment") events.emit(account, "customer.subscription.created", begun);
  return begun;
}
