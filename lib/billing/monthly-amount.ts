import type Stripe from "stripe";
import { statuses } from "../values/member-status.ts";
import { currency } from "./payments.ts";
import { statusOf } from "./snapshot.ts";

/** How many of an interval there are in a month. */
const perMonth: Readonly<Partial<Record<string, number>>> = {
  day: 365 / 12,
  week: 52 / 12,
  month: 1,
  year: 1 / 12,
};

/**
 * What a subscription brings in a month, in cents (`docs/api.md`, section 9): its items, less its own running discounts in
 * Stripe's order. Metered items, discounts of single items and discounts of one invoice do not count. 0 while it does not
 * pay, is paused, or is in another currency.
 */
export function monthlyCents(subscription: Stripe.Subscription, now: Date): number {
  const { items, discounts, pause_collection: pause } = subscription;
  if (!statuses[statusOf(subscription)].pays || pause || subscription.currency !== currency) return 0;
  const full = items.data.reduce((sum, item) => sum + amountOf(item), 0);
  const [first] = items.data;
  const share = first ? monthsOf(first) : 1;
  const left = discounts.reduce((amount, discount) => amount - reductionOf(discount, { amount, share, now }), full);
  // A half that is a third of something may lie just below it.
  return Math.floor(Math.max(0, left) + 0.5 + 1e-9);
}

function amountOf(item: Stripe.SubscriptionItem): number {
  const { unit_amount, unit_amount_decimal, recurring } = item.price;
  if (recurring?.usage_type === "metered") return 0;
  const unit = unit_amount ?? Number(String(unit_amount_decimal ?? 0));
  return unit * (item.quantity ?? 1) * monthsOf(item);
}

/** How many of the periods of an item there are in a month. */
const monthsOf = ({ price: { recurring } }: Stripe.SubscriptionItem): number =>
  recurring ? (perMonth[recurring.interval] ?? 0) / recurring.interval_count : 0;

type Reduced = { readonly amount: number; readonly share: number; readonly now: Date };

/** What a discount takes off an amount a month: an `amount_off` comes off each invoice. */
function reductionOf(discount: string | Stripe.Discount, { amount, share, now }: Reduced): number {
  if (typeof discount === "string") return 0;
  const { source, end } = discount;
  const coupon = typeof source.coupon === "object" ? source.coupon : null;
  const seconds = now.getTime() / 1000;
  if (!coupon || coupon.duration === "once" || (end !== null && end <= seconds)) return 0;
  if (coupon.percent_off !== null) return Math.max(0, amount) * (coupon.percent_off / 100);
  return coupon.amount_off !== null && coupon.currency === currency ? coupon.amount_off * share : 0;
}
