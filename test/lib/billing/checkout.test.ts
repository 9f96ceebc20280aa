import { describe, expect, it } from "vitest";
import { billingOf, type OpenBilling } from "#lib/billing/stripe.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

/** Joins through checkout. @returns the member after Stripe's events */
async function join(community: GivenCommunity, member: StoredMember): Promise<StoredMember> {
  const { status, body } = await money.openCheckout(community, member.user);
  expect(status).toBe(201);
  await money.complete(body?.url);
  await money.deliverAll();
  return money.memberNow(member);
}

describe("a tier with a trial", () => {
  it("a person who ends a trial and joins again gets no second trial", async () => {
    const community = await money.aPricedCommunity({ tier: { trial_days: 14 } });
    const member = await money.aSubscriber(community);
    expect(member.status).toBe("trialing");
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    const again = await join(community, member);
    expect(again).toMatchObject({ status: "active", trial_end: null });
    expect(again.lifetime_spend_cents).toBeGreaterThan(0);
  });

  it("a person whose first attempt never gave access still gets the trial", async () => {
    const community = await money.aPricedCommunity({ tier: { trial_days: 14 } });
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    expect((await money.complete(body?.url, { decline: true })).status).toBe(402);
    const second = await money.openCheckout(community, person);
    const session = await money.stripe.checkout.sessions.retrieve(String(second.body?.id));
    expect(session.amount_total).toBe(0);
  });

  it("a free tier has no trial, which would take no card", async () => {
    const community = await money.aPricedCommunity({ tier: { monthly_price_dollars: 0, trial_days: 14 } });
    expect(await money.aSubscriber(community)).toMatchObject({ status: "active", trial_end: null });
  });

  it("an imported person gets no trial", async () => {
    const community = await money.aPricedCommunity({ tier: { trial_days: 14 } });
    const user = await money.aPerson();
    const outcome = await money.importMember(community, { user, status: "canceled" });
    const imported = await members.find(money.table, community.id, outcome?.id ?? 0);
    if (!imported) throw new Error("The member was not imported");
    expect(await join(community, imported)).toMatchObject({ status: "active", trial_end: null });
  });
});

it("people pay the price of the tier in dollars, also if the account converts prices to local currencies", async () => {
  const { body } = await money.openCheckout(await money.aPricedCommunity(), await money.aPerson());
  const session = await money.stripe.checkout.sessions.retrieve(String(body?.id));
  expect(session.adaptive_pricing).toEqual({ enabled: false });
});

it.each([
  ["is free", 0, "if_required", 0],
  ["is not free", 25, "always", 1],
])(
  "a checkout of a tier that %s (%i dollars) has payment_method_collection %s",
  async (_, dollars, collection, cards) => {
    const community = await money.aPricedCommunity({ tier: { monthly_price_dollars: dollars } });
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    const session = await money.stripe.checkout.sessions.retrieve(String(body?.id));
    expect(session.payment_method_collection).toBe(collection);
    await money.complete(body?.url);
    await money.deliverAll();
    const [subscription] = await money.subscriptionsOf(session.customer as string);
    expect(subscription?.status).toBe("active");
    expect(subscription?.default_payment_method === null ? 0 : 1).toBe(cards);
  },
);

it("a new member has a copy of the names and the email address of the profile, and of nothing else in it", async () => {
  const { user, community_id, id } = await money.aSubscriber(await money.aPricedCommunity());
  const stored = await money.table.get(keys.member(community_id, id));
  const { username, email, first_name, last_name } = user;
  expect(stored?.user).toStrictEqual({ id: user.id, username, email, first_name, last_name });
});

it("a session of a person who is erased while it is opened is expired, so that nobody can pay on it", async () => {
  const community = await money.aPricedCommunity();
  const person = await money.aPerson();
  const stripes = billingOf(async () => money.stripe);
  const billing: OpenBilling = (left) => async (ask, key) => {
    const answer = await stripes(left)(ask, key);
    const isSession = (answer as { object?: string }).object === "checkout.session";
    const set = { erased_at: new Date().toISOString() };
    if (isSession) await write(money.table, [{ update: keys.user(person.id), set, when: "exists" }]);
    return answer;
  };
  const { status } = await money.answer(
    createSession,
    {
      params: { community_id: community.id },
      as: person,
      body: { tier_id: community.tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
    },
    money.platform({ billing }),
  );
  expect(status).toBe(503);
  const { data } = await money.stripe.checkout.sessions.list({ limit: 1 });
  expect(data).toMatchObject([{ client_reference_id: expect.any(String), status: "expired" }]);
});
