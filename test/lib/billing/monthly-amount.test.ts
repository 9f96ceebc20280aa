import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

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
