import type Stripe from "stripe";
import { measure } from "../log.ts";
import { chargesOf, currency, subscriptionIdOf } from "./payments.ts";
import { isLive, isPaid, type Snapshot } from "./snapshot.ts";

/**
 * Counts, as metrics, the subscriptions and payments of a customer that Odis ignores because they do not belong to the
 * member or are not in US dollars.
 */
export function measureForeign(
  { subscriptions, invoices, charges }: Snapshot,
  own: readonly Stripe.Subscription[],
  shown: Stripe.Subscription | undefined,
): void {
  const ids = new Set(own.map(({ id }) => id));
  const foreign = subscriptions.filter((subscription) => !ids.has(subscription.id) && isLive(subscription));
  if (foreign.length > 0) measure("foreign_subscription", foreign.length);

  const ownInvoices = invoices.filter((invoice) => ids.has(subscriptionIdOf(invoice) ?? ""));
  const paying = new Set(ownInvoices.flatMap((invoice) => chargesOf(invoice, charges).map(({ charge }) => charge.id)));
  const foreignCharges = charges.filter(({ charge }) => isPaid(charge) && !paying.has(charge.id));
  if (foreignCharges.length > 0) measure("foreign_payment", foreignCharges.length);
  if (shown && shown.currency !== currency) measure("foreign_currency");
}
