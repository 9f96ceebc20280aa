import { describe, expect, it } from "vitest";
import { idOf } from "#lib/billing/snapshot.ts";
import { newestOfMember } from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as dropScheduledChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() =>
  money.aPricedCommunity({ tier: { monthly_price_dollars: 10, yearly_price_dollars: 100 } }),
);

const change = async ({ stripe_subscription_id: id }: StoredMember, over: object): Promise<void> => {
  await money.control(`subscriptions/${id}`, over);
  await money.deliverAll();
};

const yearLater = (at: string): string => {
  const next = new Date(at);
  next.setUTCFullYear(next.getUTCFullYear() + 1);
  return next.toISOString();
};

const actionsOf = async ({ id }: StoredMember) =>
  (await newestOfMember(money.table, id, 5)).entries.map(({ action }) => action);

describe("a member who pays by the year", () => {
  it("a yearly checkout makes a member with the interval, the price and the period of a year", async () => {
    const member = await money.aSubscriber(community, "year");
    expect(member).toMatchObject({
      tier_id: community.tier.id,
      interval: "year",
      price_cents: 10_000,
      scheduled_change: null,
      lifetime_spend_cents: 10_000,
      current_period_end: yearLater(member.current_period_start),
    });
    const { body } = await money.call(subscriptionDetails, forMember(member));
    expect(body).toMatchObject({ in_sync: true, price: { unit_amount_cents: 10_000, interval: "year" } });
  });

  it("the person's own membership shows the interval and price", async () => {
    const member = await money.aSubscriber(community, "year");
    const own = { params: { community_id: community.id }, as: { id: member.user.id } };
    const { body } = await money.call(showMembership, own);
    expect(body).toMatchObject({ interval: "year", price_cents: 10_000, scheduled_change: null });
  });

  it("a yearly payment counts as a twelfth a month, without losing fractions of a cent", async () => {
    const { monthly_cents } = await money.aSubscriber(community, "year");
    expect(Math.round(monthly_cents * 12)).toBe(10_000);
    expect(monthly_cents).not.toBe(833);
  });

  it("price_cents is what the next renewal charges, and null if there is none", async () => {
    const member = await money.aSubscriber(community, "year");
    const priceNow = async () => (await money.memberNow(member)).price_cents;
    const steps: [object, number | null][] = [
      [{ coupon: { percent_off: 10, duration: "forever" } }, 9000],
      [{ coupon: { amount_off: 100, duration: "once" } }, 8900],
      // The discount ends before the next renewal.
      [{ coupon: { percent_off: 50, duration: "repeating", duration_in_months: 3 } }, 8900],
      [{ pause_collection: { behavior: "void" } }, null],
      [{ pause_collection: null }, 8900],
    ];
    for (const [over, cents] of steps) {
      await change(member, over);
      expect(await priceNow()).toBe(cents);
    }
    await money.call(cancelSubscription, forMember(member));
    expect(await money.memberNow(member)).toMatchObject({ price_cents: null, interval: "year" });
  });

  it("a tier without a yearly price is not sold by the year", async () => {
    const monthly = await money.aPricedCommunity();
    const person = await money.aPerson();
    expect(await money.openCheckout(monthly, person, "year")).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: "/interval", code: "not_allowed" }] },
    });
  });
});

describe("a change that is scheduled in Stripe", () => {
  const plan = (member: StoredMember, price: string | null, starts_in_days = 20) =>
    change(member, { schedule: { phases: [{ price, starts_in_days }] } });

  it("the member's record shows a scheduled change to a price of the community, until it is made", async () => {
    const member = await money.aSubscriber(community);
    await plan(member, community.tier.yearly_stripe_price_id);
    const scheduled = await money.memberNow(member);
    expect(scheduled).toMatchObject({
      interval: "month",
      scheduled_change: {
        tier: { id: community.tier.id, name: community.tier.name },
        interval: "year",
        price_cents: 10_000,
      },
    });
    expect(await actionsOf(member)).toEqual(["change_scheduled", "joined"]);
    await money.control("advance", { days: 21 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ interval: "year", scheduled_change: null });
    expect(await actionsOf(member)).toEqual(["interval_changed", "change_scheduled", "joined"]);
  });

  it("the record shows no scheduled change to a price that is not the community's", async () => {
    const other = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await plan(member, other.tier.stripe_price_id);
    expect(await money.memberNow(member)).toMatchObject({ scheduled_change: null });
  });

  it("a cancellation drops the scheduled change", async () => {
    const member = await money.aSubscriber(community);
    await plan(member, community.tier.yearly_stripe_price_id);
    const { body } = await money.call(cancelSubscription, forMember(member));
    expect(body).toMatchObject({ scheduled_change: null, price_cents: null, cancel_at_period_end: true });
    expect(await actionsOf(member)).toEqual(["change_canceled", "cancel_scheduled", "change_scheduled", "joined"]);
  });

  it("a correction by a route that only reads keeps the scheduled change", async () => {
    const member = await money.aSubscriber(community);
    await plan(member, community.tier.yearly_stripe_price_id);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { quantity: 2 });
    expect(await money.call(subscriptionDetails, forMember(member))).toMatchObject({ body: { in_sync: false } });
    expect(await money.memberNow(member)).toMatchObject({
      monthly_cents: 2000,
      scheduled_change: { interval: "year" },
    });
    await money.deliverAll();
  });

  it("a correction by a route that only reads drops a scheduled change that was made", async () => {
    const member = await money.aSubscriber(community);
    await money.call(changeSubscription, { ...forMember(member), body: { interval: "year" } });
    await money.control("advance", { days: 32 });
    expect(await money.call(subscriptionDetails, forMember(member))).toMatchObject({ body: { in_sync: false } });
    expect(await money.memberNow(member)).toMatchObject({
      interval: "year",
      price_cents: 10_000,
      scheduled_change: null,
    });
    await money.deliverAll();
  });

  it("a change of the price alone that is dropped in Stripe is a canceled change", async () => {
    const raised = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
    const member = await money.aSubscriber(raised);
    const { metadata, product } = await money.stripe.prices.retrieve(raised.tier.stripe_price_id ?? "");
    const recurring = { interval: "month" } as const;
    const price = { currency: "usd", product: idOf(product) ?? "", unit_amount: 1200, recurring, metadata };
    const { id: stripe_price_id } = await money.stripe.prices.create(price);
    const set = { monthly_price_dollars: 12, stripe_price_id };
    await write(money.table, [{ update: keys.tier(raised.id, raised.tier.id), set, when: "exists" }]);
    await plan(member, stripe_price_id);
    expect(await money.memberNow(member)).toMatchObject({ scheduled_change: { price_cents: 1200 } });
    expect(await money.call(dropScheduledChange, forMember(member))).toMatchObject({ status: 200 });
    expect(await actionsOf(member)).toEqual(["change_canceled", "change_scheduled", "joined"]);
  });
});
