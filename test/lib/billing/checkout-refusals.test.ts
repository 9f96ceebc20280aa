import { describe, expect, it } from "vitest";
import { copyProfile } from "#lib/billing/profile.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelOwn } from "../../../functions/membership/cancel-subscription.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

type Profile = Partial<Pick<users.User, "email" | "first_name" | "last_name">>;

const change = ({ id }: { id: number }, profile: Profile) =>
  write(money.table, [{ update: keys.user(id), set: profile, when: "exists" }]);

async function aPersonWith(profile: Profile): Promise<{ id: number }> {
  const person = await money.aPerson();
  await change(person, profile);
  return person;
}

/** The customer at Stripe of a person who has opened a checkout. */
async function customerOf({ id }: { id: number }) {
  const item = await money.table.get(keys.customerOf(id, community.id));
  const customer = await money.stripe.customers.retrieve(String(item?.customer_id));
  return customer.deleted ? undefined : customer;
}

describe("the customer of a checkout", () => {
  it("a person whose email address changed after a lost response of Stripe can check out", async () => {
    const person = await aPersonWith({ email: "before@example.com" });
    await money.control("faults", { fail_next: { count: 4, status: 500, after: true } });
    expect(await money.openCheckout(community, person)).toMatchObject({ status: 502 });
    await money.control("faults", { fail_next: 0 });

    await change(person, { email: "after@example.com" });
    expect(await money.openCheckout(community, person)).toMatchObject({ status: 201 });
    expect(await customerOf(person)).toMatchObject({ email: "after@example.com" });
  });

  it("a person whose email address Stripe refuses can check out and enters another one on Stripe's page", async () => {
    const person = await aPersonWith({ email: "ana@localhost", first_name: "Ana", last_name: "Ruiz" });
    expect(await money.openCheckout(community, person)).toMatchObject({ status: 201 });
    expect(await customerOf(person)).toMatchObject({ email: null, name: "Ana Ruiz" });
  });

  it("a name of more than 256 characters is cut to Stripe's limit without splitting a character", async () => {
    const person = await aPersonWith({ first_name: "A".repeat(128), last_name: "🌵".repeat(128) });
    expect(await money.openCheckout(community, person)).toMatchObject({ status: 201 });
    expect((await customerOf(person))?.name).toBe(`${"A".repeat(128)} ${"🌵".repeat(63)}`);
  });

  it("a profile change whose email address Stripe refuses still updates the name at Stripe", async () => {
    const person = await aPersonWith({ email: "ana@example.com", first_name: "Ana", last_name: "Ruiz" });
    await money.openCheckout(community, person);
    await change(person, { email: "ana@localhost", last_name: "Peña" });
    const billing = billingOf(async () => money.stripe)(() => 20_000);
    await copyProfile({ table: money.table, billing, now: new Date() }, person.id);
    expect(await customerOf(person)).toMatchObject({ email: "ana@example.com", name: "Ana Peña" });
  });
});

/** Completes a checkout page as soon as Stripe has listed the open sessions. */
function completingMeanwhile(page: unknown) {
  let isCompleted = false;
  const billing = (left: () => number): Billing => {
    const ask = billingOf(async () => money.stripe)(left);
    return async (work, key) => {
      const answer = await ask(work, key);
      const isList = (answer as { object?: string } | undefined)?.object === "list";
      if (isList && !isCompleted) {
        isCompleted = true;
        await money.complete(page);
      }
      return answer;
    };
  };
  return money.platform({ billing });
}

describe("a checkout that is completed while another request expires it", () => {
  it("a second checkout returns already_a_member if the first one was completed in the meantime", async () => {
    const person = await money.aPerson();
    const first = await money.openCheckout(community, person);
    const second = await money.call(
      createSession,
      {
        params: { community_id: community.id },
        as: person,
        body: { tier_id: community.tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
      },
      completingMeanwhile(first.body?.url),
    );
    expect(second).toMatchObject({ status: 409, body: { code: "already_a_member" } });
  });

  it("a block succeeds if a checkout was completed in the meantime, and the checkout is refunded", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    const { body } = await money.openCheckout(community, member.user);
    const on = completingMeanwhile(body?.url);
    expect(await money.call(block, forMember(member), on)).toMatchObject({ status: 200, body: { is_blocked: true } });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "canceled" });
    const [newest] = await money.chargesOf(member.stripe_customer_id);
    expect(newest?.amount_refunded).toBe(newest?.amount);
  });

  it.each(["answered", "refused"])(
    "an automatic refund that fails after the customer was deleted does not count (lists of deleted customers: %s)",
    async (lists) => {
      const user = await money.aPerson();
      const outcome = await money.importMember(community, { user, status: "canceled", lifetime_spend_cents: 9000 });
      const member = await members.find(money.table, community.id, outcome?.id ?? 0);
      if (!member) throw new Error("The member was not imported");
      const { body } = await money.openCheckout(community, user);
      const unreachable = money.platform({ billing: billingOf(async () => money.unreachableStripe()) });
      await money.call(block, forMember(member), unreachable);
      await money.complete(body?.url);
      await money.deliverAll();
      const rejected = await money.memberNow(member);
      expect(rejected).toMatchObject({ lifetime_spend_cents: 9000, total_refunded_cents: 2500 });

      await money.control("faults", { deleted_customer_lists: lists });
      await money.control(`customers/${rejected.stripe_customer_id}`, { delete: true });
      await money.deliverAll();
      await money.control(`refunds/${rejected.refunds[0]?.refund_id}`, { status: "failed" });
      await money.deliverAll();
      expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 11_500, total_refunded_cents: 0 });
      await money.control("faults", { deleted_customer_lists: "answered" });
    },
  );
});

it.each(["success_url", "cancel_url"])(
  "a %s that Stripe refuses returns 422 invalid_format with its pointer",
  async (param) => {
    const person = await money.aPerson();
    await money.control("refuse", { code: "url_invalid", param, path: "/v1/checkout/sessions" });
    expect(await money.openCheckout(community, person)).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: `/${param}`, code: "invalid_format" }] },
    });
  },
);

const sessionRequest = (person: { id: number }, tier: { id: number }) => ({
  params: { community_id: community.id },
  as: person,
  body: { tier_id: tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
});

it("a checkout of a tier whose price was archived in Stripe returns 422 unknown_tier", async () => {
  const archived = await money.aPricedCommunity();
  await money.stripe.prices.update(archived.tier.stripe_price_id ?? "", { active: false });
  expect(await money.openCheckout(archived, await money.aPerson())).toMatchObject({
    status: 422,
    body: { code: "unknown_tier", errors: [{ pointer: "/tier_id", code: "unknown_reference" }] },
  });
});

it("a checkout of a tier whose product was archived in Stripe returns 422 unknown_tier", async () => {
  const archived = await money.aPricedCommunity();
  await money.stripe.products.update(`odis_tier_${archived.tier.id}`, { active: false });
  expect(await money.openCheckout(archived, await money.aPerson())).toMatchObject({
    status: 422,
    body: { code: "unknown_tier", errors: [{ pointer: "/tier_id", code: "unknown_reference" }] },
  });
});

it("a retry of a crashed checkout after a change of the tier's price leaves one open session", async () => {
  const person = await money.aPerson();
  const changed = await money.aPricedCommunity();
  const call = { ...sessionRequest(person, changed.tier), params: { community_id: changed.id }, ...withKey("again") };
  const billing = money.platform().billing?.(() => 20_000) as Billing;
  const dying: Billing = async (ask, key) => {
    const answer = await billing(ask, key);
    if (key?.startsWith("checkout-")) throw new Error("The function is gone");
    return answer;
  };
  expect((await money.answer(createSession, call, money.platform({ billing: () => dying }))).status).toBe(500);
  const { id: price } = await money.stripe.prices.create({
    product: (await money.stripe.prices.retrieve(changed.tier.stripe_price_id ?? "")).product as string,
    currency: "usd",
    unit_amount: 3000,
    recurring: { interval: "month" },
    metadata: { tier_id: String(changed.tier.id), community_id: String(changed.id) },
  });
  await write(money.table, [
    { update: keys.tier(changed.id, changed.tier.id), set: { stripe_price_id: price }, when: "exists" },
  ]);
  const { status, body } = await money.call(createSession, call);
  expect(status).toBe(201);
  const item = await money.table.get(keys.customerOf(person.id, changed.id));
  const open = { customer: String(item?.customer_id), status: "open", limit: 100 } as const;
  expect((await money.stripe.checkout.sessions.list(open)).data.map(({ id }) => id)).toEqual([body?.id]);
});

it("an unpaid member who wants to join again is told to cancel immediately, and can then", async () => {
  const again = await money.aPricedCommunity({ tier: { yearly_price_dollars: 100 } });
  const member = await money.aSubscriber(again, "year");
  await money.control("faults", { after_retries: "unpaid", decline: true });
  await money.control("advance", { days: 366 });
  await money.control("advance", { days: 25 });
  await money.control("faults", { after_retries: "canceled", decline: false });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({ status: "unpaid" });
  expect(await money.openCheckout(again, member.user)).toMatchObject({
    status: 409,
    body: { code: "already_a_member", detail: expect.stringMatching(/unpaid.*immediately/) },
  });
  const own = { params: { community_id: again.id }, as: { id: member.user.id }, body: { mode: "immediately" } };
  expect(await money.call(cancelOwn, own)).toMatchObject({ status: 200, body: { status: "canceled" } });
  expect((await money.openCheckout(again, member.user)).status).toBe(201);
});
