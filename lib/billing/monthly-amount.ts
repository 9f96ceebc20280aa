import type Stripe from "stripe";
import { statuses } from "../values/member-status.ts";
import { toTwelfth } from "../values/twelfths.ts";
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
 * Monthly amount of a subscription in US cents and twelfths of a cent (`docs/api.md`, section 9): a month's share of an
 * invoice, less the current discounts. Leaves out metered items, discounts of single items and discounts of one invoice.
 * 0 if the subscription is not paid, is paused, or is in another currency.
 */
export function monthlyCents(subscription: Stripe.Subscription, now: Date): number {
  if (!statuses[statusOf(subscription)].pays || !isCharged(subscription)) return 0;
  const seconds = now.getTime() / 1000;
  const isCurrent = ({ duration }: Stripe.Coupon, end: number | null) =>
    duration !== "once" && (end === null || end > seconds);
  return toTwelfth(invoicedCents(subscription, isCurrent) * periodsPerMonth(subscription.items.data[0]));
}

/** Whether the invoices of a subscription are charged and counted. */
export const isCharged = ({ pause_collection, currency: own }: Stripe.Subscription): boolean =>
  !pause_collection && own === currency;

/** Whether a discount with this coupon and this end, in seconds since 1970, applies. */
export type Applies = (coupon: Stripe.Coupon, end: number | null) => boolean;

/** Amount of an invoice in US cents: all items, less the discounts that apply, in Stripe's order. */
export function invoicedCents({ items, discounts }: Stripe.Subscription, applies: Applies): number {
  const [first] = items.data;
  const undiscounted = items.data.reduce(
    (sum, item) => sum + (amountOf(item) * periodsPerMonth(item)) / periodsPerMonth(first),
    0,
  );
  const discounted = discounts.reduce(
    (amount, discount) => amount - reductionOf(discount, amount, applies),
    undiscounted,
  );
  // Rounds half up. A half that comes from a division can lie just below .5 as a floating-point number.
  return Math.floor(Math.max(0, discounted) + 0.5 + 1e-9);
}

function amountOf({ price, quantity }: Stripe.SubscriptionItem): number {
  const { unit_amount, unit_amount_decimal, recurring } = price;
  if (recurring?.usage_type === "metered") return 0;
  return (unit_amount ?? Number(String(unit_amount_decimal ?? 0))) * (quantity ?? 1);
}

/** Number of billing periods of an item in a month. */
function periodsPerMonth(item: Stripe.SubscriptionItem | undefined): number {
  const { interval = "month", interval_count = 1 } = item?.price.recurring ?? {};
  return (perMonth[interval] ?? 1) / interval_count;
}

/** Reduction of an invoice by a discount, in US cents. */
function reductionOf(discount: string | Stripe.Discount, amount: number, applies: Applies): number {
  if (typeof discount === "string") return 0;
  const { source, end } = discount;
  const coupon = typeof source.coupon === "object" ? source.coupon : null;
  if (!coupon || !applies(coupon, end)) return 0;
  if (coupon.percent_off !== null) return Math.max(0, amount) * (coupon.percent_off / 100);
  return coupon.amount_off !== null && coupon.currency === currency ? coupon.amount_off : 0;
}
