import type Stripe from "stripe";
import { measure } from "../log.ts";
import { chargesOf, currency, subscriptionOf } from "./payments.ts";
import { isLive, isPaid, type Snapshot } from "./snapshot.ts";

/** Measures what a customer has at Stripe that is left alone: it is no member's, or not in dollars. */
export function measureForeign(
  { subscriptions, invoices, charges }: Snapshot,
  own: readonly Stripe.Subscription[],
  shown: Stripe.Subscription | undefined,
): void {
  const ids = new Set(own.map(({ id }) => id));
  const foreign = subscriptions.filter((subscription) => !ids.has(subscription.id) && isLive(subscription));
  if (foreign.length > 0) measure("foreign_subscription", foreign.length);

  const ours = invoices.filter((invoice) => ids.has(subscriptionOf(invoice) ?? ""));
  const paying = new Set(ours.flatMap((invoice) => chargesOf(invoice, charges).map(({ charge }) => charge.id)));
  const others = charges.filter(({ charge }) => isPaid(charge) && !paying.has(charge.id));
  if (others.length > 0) measure("foreign_payment", others.length);
  if (shown && shown.currency !== currency) measure("foreign_currency");
}
