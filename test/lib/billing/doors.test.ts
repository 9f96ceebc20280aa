import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

afterEach(() => vi.unstubAllEnvs());

const of = ({ id }: { id: number }) => ({ params: { community_id: community.id, id } });

async function moneyOf(customer: string | null) {
  const { data: charges } = await money.stripe.charges.list({ customer: customer ?? "" });
  const { data: subscriptions } = await money.stripe.subscriptions.list({ customer: customer ?? "", status: "all" });
  const kept = charges.reduce(
    (sum, { amount_captured, amount_refunded }) => sum + amount_captured - amount_refunded,
    0,
  );
  return { kept, live: subscriptions.filter(({ status }) => status === "active").length, subscriptions };
}

describe("a person who is blocked", () => {
  it("keeps the subscription, and finds every door to a new one closed", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, of(member));
    expect((await money.call(block, of(member))).status).toBe(200);

    expect(await money.openCheckout(community, member.user)).toMatchObject({ body: { code: "member_blocked" } });
    expect(await money.call(uncancelSubscription, of(member))).toMatchObject({ body: { code: "member_blocked" } });
    expect((await moneyOf(member.stripe_customer_id)).live).toBe(1);
  });

  it("cannot complete a checkout that was open: the session is over", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...of(member), body: { mode: "immediately" } });
    const { body } = await money.openCheckout(community, member.user);
    await money.call(block, of(member));
    expect((await money.complete(body?.url)).status).toBeGreaterThanOrEqual(400);
  });

  it("gets back what was paid for a checkout that was completed all the same", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...of(member), body: { mode: "immediately" } });
    const { body } = await money.openCheckout(community, member.user);
    const { kept: before } = await moneyOf(member.stripe_customer_id);
    await money.complete(body?.url);
    await money.call(block, of(member));
    await money.deliverAll();

    const { kept, live } = await moneyOf(member.stripe_customer_id);
    expect({ kept, live }).toEqual({ kept: before, live: 0 });
    expect(await money.memberNow(member)).toMatchObject({ is_blocked: true, status: "canceled" });
  });
});

describe("two checkouts of one person, both completed", () => {
  it("leave one subscription; the other is canceled and refunded in full", async () => {
    const person = await money.aPerson();
    const [first, second] = await Promise.all([
      money.openCheckout(community, person),
      money.openCheckout(community, person),
    ]);
    for (const { body } of [first, second]) if (body?.url) await money.complete(body.url);
    await money.deliverAll();
    await money.deliverAll();

    const item = await money.table.get(keys.customerOf(person.id, community.id));
    const { kept, live } = await moneyOf(String(item?.customer_id));
    expect({ kept, live }).toEqual({ kept: 2500, live: 1 });
  });
});

describe("canceling", () => {
  it("at the period's end keeps access until then, and can be taken back", async () => {
    const member = await money.aSubscriber(community);
    const scheduled = await money.call(cancelSubscription, { ...of(member), body: { feedback: "too_expensive" } });
    expect(scheduled.body).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: member.current_period_end,
    });
    const again = await money.call(cancelSubscription, of(member));
    expect(again).toEqual({ status: 200, body: scheduled.body });

    expect((await money.call(uncancelSubscription, of(member))).body).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
    });
    expect(await money.call(uncancelSubscription, of(member))).toMatchObject({
      body: { code: "not_scheduled_to_cancel" },
    });
  });

  it("at once ends it, refunds nothing, and happens once", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, of(member));
    const ended = await money.call(cancelSubscription, { ...of(member), body: { mode: "immediately" } });
    expect(ended.body).toMatchObject({ status: "canceled", lifetime_spend_cents: 2500 });
    expect(ended.body?.ended_at).not.toBeNull();
    expect(await money.call(cancelSubscription, of(member))).toMatchObject({
      status: 409,
      body: { code: "subscription_already_canceled" },
    });
  });

  it("of what has ended at Stripe unseen is told so, and the record is mended", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    for (const mode of ["at_period_end", "immediately"]) {
      const answer = await money.call(cancelSubscription, { ...of(member), body: { mode } });
      expect(answer).toMatchObject({ status: 409, body: { code: "subscription_already_canceled" } });
    }
    expect((await money.memberNow(member)).status).toBe("canceled");
  });
});

describe("a checkout", () => {
  it.each(["", "https://app.example.com"])("returns to no origin but those configured: %j", async (origins) => {
    vi.stubEnv("REDIRECT_ORIGINS", origins);
    expect(await money.openCheckout(community, await money.aPerson())).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/success_url" }, { pointer: "/cancel_url" }] },
    });
  });
});
