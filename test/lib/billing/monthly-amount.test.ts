import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { monthlyCents } from "#lib/billing/monthly-amount.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const now = new Date("2026-11-21T12:00:00.000Z");

type Interval = { interval?: string; interval_count?: number; usage_type?: string };

const item = (unit_amount: number, quantity = 1, recurring: Interval = {}) => ({
  quantity,
  price: { unit_amount, recurring: { interval: "month", interval_count: 1, usage_type: "licensed", ...recurring } },
});

const discount = (coupon: object, over: object = {}) => ({
  start: 0,
  end: null,
  source: { coupon: { percent_off: null, amount_off: null, currency: "usd", duration: "forever", ...coupon } },
  ...over,
});

const amountOf = (items: object[], over: object = {}): number =>
  monthlyCents(
    {
      status: "active",
      currency: "usd",
      pause_collection: null,
      discounts: [],
      items: { data: items },
      ...over,
    } as unknown as Stripe.Subscription,
    now,
  );

it.each<[string, object[], object, number]>([
  ["is the price", [item(2500)], {}, 2500],
  ["is the sum of items times quantity", [item(2500, 3), item(100)], {}, 7600],
  ["is a twelfth of a yearly price, rounded half up", [item(6, 1, { interval: "year" })], {}, 1],
  ["is a third of a quarterly price", [item(3000, 1, { interval_count: 3 })], {}, 1000],
  ["is 52 twelfths of a weekly price", [item(300, 1, { interval: "week" })], {}, 1300],
  ["is 365 twelfths of a daily price", [item(12, 1, { interval: "day" })], {}, 365],
  ["leaves out metered items", [item(2500), item(900, 1, { usage_type: "metered" })], {}, 2500],
  ["is 0 in a trial", [item(2500)], { status: "trialing" }, 0],
  ["is the price while past due", [item(2500)], { status: "past_due" }, 2500],
  ["is 0 when unpaid", [item(2500)], { status: "unpaid" }, 0],
  ["is 0 while collection is paused", [item(2500)], { pause_collection: { behavior: "void" } }, 0],
  ["is 0 in another currency", [item(2500)], { currency: "eur" }, 0],
  [
    "deducts discounts in their order",
    [item(1000)],
    { discounts: [discount({ amount_off: 200 }), discount({ percent_off: 50 })] },
    400,
  ],
  [
    "deducts discounts in the other order",
    [item(1000)],
    { discounts: [discount({ percent_off: 50 }), discount({ amount_off: 200 })] },
    300,
  ],
  ["rounds half a cent up", [item(5)], { discounts: [discount({ percent_off: 50 })] }, 3],
  ["is never below 0", [item(100)], { discounts: [discount({ amount_off: 200 })] }, 0],
  [
    "ignores a discount of one invoice",
    [item(100)],
    { discounts: [discount({ amount_off: 9, duration: "once" })] },
    100,
  ],
  ["ignores a discount that has ended", [item(100)], { discounts: [discount({ amount_off: 9 }, { end: 1 })] }, 100],
  [
    "deducts an amount from each yearly invoice",
    [item(12_000, 1, { interval: "year" })],
    { discounts: [discount({ amount_off: 1200 })] },
    900,
  ],
])("the monthly amount %s", (_, items, over, cents) => {
  expect(amountOf(items, over)).toBe(cents);
});

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const monthlyOf = async (member: StoredMember) => (await money.memberNow(member)).monthly_cents;

const change = async ({ stripe_subscription_id: id }: StoredMember, over: object): Promise<void> => {
  await money.control(`subscriptions/${id}`, over);
  await money.deliverAll();
};

describe("the monthly amount of a member", () => {
  it("the monthly amount of a member reflects the subscription's quantity, discounts and pause", async () => {
    const member = await money.aSubscriber(community);
    const steps: [object, number][] = [
      [{ quantity: 2 }, 5000],
      [{ coupon: { percent_off: 10, duration: "forever" } }, 4500],
      [{ coupon: { amount_off: 100, duration: "once" } }, 4500],
      [{ pause_collection: { behavior: "void" } }, 0],
      [{ pause_collection: null }, 4500],
    ];
    expect(await monthlyOf(member)).toBe(2500);
    for (const [over, cents] of steps) {
      await change(member, over);
      expect(await monthlyOf(member)).toBe(cents);
    }
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ monthly_cents: 4500, lifetime_spend_cents: 2500 + 4400 });
  });

  it("a block, a scheduled cancellation and a new price of the tier do not change the monthly amount, and the end of the subscription sets it to 0", async () => {
    const own = await money.aPricedCommunity();
    const member = await money.aSubscriber(own);
    await money.call(block, forMember(member));
    await money.call(cancelSubscription, forMember(member));
    const tier = { monthly_price_dollars: 900 };
    const { status } = await money.call(updateTier, { params: { id: own.tier.id }, body: { tier } });
    expect(status).toBe(200);
    await money.deliverAll();
    expect(await monthlyOf(member)).toBe(2500);
    const details = await money.call(subscriptionDetails, forMember(member));
    expect(details.body).toMatchObject({ price: { unit_amount_cents: 2500, interval: "month" } });
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    expect(await monthlyOf(member)).toBe(0);
  });
});

describe("subscription_details", () => {
  it("subscription_details returns the customer's payment method if the subscription has none", async () => {
    const member = await money.aSubscriber(community);
    const customer = member.stripe_customer_id ?? "";
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    const { id: card } = await money.stripe.paymentMethods.attach("pm_card_mastercard", { customer });
    await money.stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
    await money.stripe.subscriptions.create({
      customer,
      items: [{ price: community.tier.stripe_price_id ?? "" }],
      metadata: { member_id: String(member.id) },
    });
    await money.deliverAll();
    const { body } = await money.call(subscriptionDetails, forMember(member));
    expect(body).toMatchObject({ in_sync: true, default_payment_method: { type: "card", brand: "mastercard" } });
  });

  it("subscription_details corrects a stored monthly amount that differs", async () => {
    const member = await money.aSubscriber(community);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { quantity: 2 });
    expect(await money.call(subscriptionDetails, forMember(member))).toMatchObject({ body: { in_sync: false } });
    expect(await monthlyOf(member)).toBe(5000);
    await money.deliverAll();
  });
});
