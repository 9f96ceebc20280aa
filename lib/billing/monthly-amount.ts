import type Stripe from "stripe";
import { statuses } from "../values/member-status.ts";
import { currency } from "./payments.ts";
import { statusOf } from "./snapshot.ts";

/** Number of intervals in a month. */
const perMonth: Readonly<Partial<Record<string, number>>> = {
  day: 365 / 12,
  week: 52 / 12,
  month: 1,
  year: 1 / 12,
};

/**
 * Monthly amount of a subscription in US cents (`docs/api.md`, section 9): its items less its current discounts, applied in
 * Stripe's order. Leaves out metered items, discounts of single items and discounts of one invoice. 0 if the subscription is
 * not paid, is paused, or is in another currency.
 */
export function monthlyCents(subscription: Stripe.Subscription, now: Date): number {
  const { items, discounts, pause_collection: pause } = subscription;
  if (!statuses[statusOf(subscription)].pays || pause || subscription.currency !== currency) return 0;
  const undiscounted = items.data.reduce((sum, item) => sum + amountOf(item), 0);
  const [first] = items.data;
  const invoicesPerMonth = first ? periodsPerMonth(first) : 1;
  const discounted = discounts.reduce(
    (amount, discount) => amount - reductionOf(discount, { amount, invoicesPerMonth, now }),
    undiscounted,
  );
  // Rounds half up. A half that comes from a division can lie just below .5 as a floating-point number.
  return Math.floor(Math.max(0, discounted) + 0.5 + 1e-9);
}

function amountOf(item: Stripe.SubscriptionItem): number {
  const { unit_amount, unit_amount_decimal, recurring } = item.price;
  if (recurring?.usage_type === "metered") return 0;
  const unit = unit_amount ?? Number(String(unit_amount_decimal ?? 0));
  return unit * (item.quantity ?? 1) * periodsPerMonth(item);
}

/** Number of billing periods of an item in a month. */
const periodsPerMonth = ({ price: { recurring } }: Stripe.SubscriptionItem): number =>
  recurring ? (perMonth[recurring.interval] ?? 0) / recurring.interval_count : 0;

type DiscountBase = { readonly amount: number; readonly invoicesPerMonth: number; readonly now: Date };

/** Monthly reduction by a discount, in US cents. An `amount_off` reduces each invoice. */
function reductionOf(discount: string | Stripe.Discount, { amount, invoicesPerMonth, now }: DiscountBase): number {
  if (typeof discount === "string") return 0;
  const { source, end } = discount;
  const coupon = typeof source.coupon === "object" ? source.coupon : null;
  const seconds = now.getTime() / 1000;
  if (!coupon || coupon.duration === "once" || (end !== null && end <= seconds)) return 0;
  if (coupon.percent_off !== null) return Math.max(0, amount) * (coupon.percent_off / 100);
  return coupon.amount_off !== null && coupon.currency === currency ? coupon.amount_off * invoicesPerMonth : 0;
}
