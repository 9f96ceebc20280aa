import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { idOf, nulls } from "./objects/common.ts";
import { integer } from "./parameters.ts";
import { monthsLater } from "./periods.ts";

export const Coupon = v.union([
  v.strictObject({
    percent_off: v.pipe(v.number(), v.minValue(0.01), v.maxValue(100)),
    duration: v.picklist(["once", "forever", "repeating"]),
    duration_in_months: v.optional(integer({ min: 1 }), 1),
  }),
  v.strictObject({
    amount_off: integer({ min: 1 }),
    duration: v.picklist(["once", "forever", "repeating"]),
    duration_in_months: v.optional(integer({ min: 1 }), 1),
  }),
]);

/** Adds a new coupon to those of a subscription. */
export function redeem(
  account: Account,
  subscription: Stripe.Subscription,
  given: v.InferOutput<typeof Coupon>,
): Stripe.Subscription {
  const now = account.now();
  const { duration, duration_in_months: months } = given;
  const isRepeating = duration === "repeating";
  const coupon: Stripe.Coupon = {
    id: account.newId("co"),
    object: "coupon",
    amount_off: "amount_off" in given ? given.amount_off : null,
    created: now,
    currency: "amount_off" in given ? subscription.currency : null,
    duration,
    duration_in_months: isRepeating ? months : null,
    livemode: false,
    metadata: {},
    percent_off: "percent_off" in given ? given.percent_off : null,
    times_redeemed: 1,
    valid: true,
    ...nulls("max_redemptions name redeem_by"),
  };
  const discount: Stripe.Discount = {
    id: account.newId("di"),
    object: "discount",
    customer: idOf(subscription.customer),
    end: isRepeating ? monthsLater(now, months) : null,
    source: { coupon: coupon.id, type: "coupon" },
    start: now,
    subscription: subscription.id,
    ...nulls("checkout_session customer_account invoice invoice_item promotion_code subscription_item"),
  };
  account.put("coupon", coupon);
  events.create(account, "discount", discount, "customer.discount.created");
  return { ...subscription, discounts: [...subscription.discounts, discount.id] as string[] };
}

/** The reduction of an amount by each active discount of a subscription, in order. */
export function reductionsOf(account: Account, subscription: Stripe.Subscription, amount: number) {
  let left = amount;
  return runningOf(account, subscription).map(({ discount, coupon }) => {
    const asked =
      coupon.percent_off === null ? (coupon.amount_off ?? 0) : Math.round((left * coupon.percent_off) / 100);
    const reduction = Math.min(left, asked);
    left -= reduction;
    return { discount: discount.id, amount: reduction };
  });
}

/** The subscription without expired discounts and those for a single invoice. */
export function afterInvoice(account: Account, subscription: Stripe.Subscription): Stripe.Subscription {
  const running = runningOf(account, subscription).filter(({ coupon }) => coupon.duration !== "once");
  return { ...subscription, discounts: running.map(({ discount }) => discount.id) };
}

const runningOf = (account: Account, { discounts }: Stripe.Subscription) =>
  discounts.flatMap((reference) => {
    const discount = account.get("discount", reference);
    const coupon = account.get("coupon", discount?.source.coupon);
    return discount && coupon && (discount.end === null || discount.end > account.now()) ? [{ discount, coupon }] : [];
  });
