import { afterEach, describe, expect, it, vi } from "vitest";
import { billingOf, type OpenBilling } from "#lib/billing/stripe.ts";
import * as customers from "#lib/store/customers.ts";
import { keys } from "#lib/store/keys.ts";
import { keyOf } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { fromNow } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { keptOf } from "../../support/money/stripe.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

afterEach(() => vi.unstubAllEnvs());

/** The net amount that a customer has paid, and the number of active subscriptions. */
async function balanceOf(customer: string | null) {
  const subscriptions = await money.subscriptionsOf(customer);
  return {
    kept: keptOf(await money.chargesOf(customer)),
    live: subscriptions.filter(({ status }) => status === "active").length,
  };
}

describe("a blocked person", () => {
  it("a blocked member keeps the subscription and can neither check out nor uncancel", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, forMember(member));
    expect((await money.call(block, forMember(member))).status).toBe(200);

    expect(await money.openCheckout(community, member.user)).toMatchObject({ body: { code: "member_blocked" } });
    expect(await money.call(uncancelSubscription, forMember(member))).toMatchObject({
      body: { code: "member_blocked" },
    });
    expect((await balanceOf(member.stripe_customer_id)).live).toBe(1);
  });

  it("blocking a member expires their open checkout session", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    const { body } = await money.openCheckout(community, member.user);
    await money.call(block, forMember(member));
    expect((await money.complete(body?.url)).status).toBeGreaterThanOrEqual(400);
  });

  /** A member whose subscription has ended. */
  async function aFormerSubscriber() {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    return money.memberNow(member);
  }

  /** An imported member whose membership has ended, and the record of the import. */
  async function anImportedMember() {
    const person = await money.aPerson();
    const record = { user: { id: person.id }, status: "canceled", ended_at: "2026-10-20T00:00:00.000Z" };
    const { id = 0 } = (await money.importMember(community, record)) ?? {};
    return { person, record, params: { community_id: community.id, id } };
  }

  /** Whether a person can still pay on the page of a checkout session. */
  const isPayable = async (page: unknown) => (await money.complete(page)).ok;

  it("blocking an imported member expires the checkout session of a customer that is not in their record yet", async () => {
    const { person, params } = await anImportedMember();
    const { body } = await money.openCheckout(community, person);
    await money.call(block, { params });
    expect(await isPayable(body?.url)).toBe(false);
  });

  it("blocking a member whose deleted customer was replaced expires the session of the new customer", async () => {
    const member = await aFormerSubscriber();
    await money.stripe.customers.del(member.stripe_customer_id ?? "");
    const { body } = await money.openCheckout(community, member.user);
    await money.call(block, forMember(member));
    expect(await isPayable(body?.url)).toBe(false);
  });

  it("the schedule has nothing left to do for a blocked member whose customer Stripe does not know", async () => {
    const member = await aFormerSubscriber();
    const customer = `cus_unknown_${member.id}`;
    await write(money.table, [
      { update: keyOf(member), set: { stripe_customer_id: customer }, when: "exists" },
      { update: keys.customerOf(member.user.id, community.id), set: { customer_id: customer }, when: "exists" },
    ]);
    expect((await money.call(block, forMember(member))).status).toBe(200);
    await money.reconcile();
    expect((await money.table.query({ pk: keys.failed("", "").pk })).items).toEqual([]);
  });

  it("if Stripe is unreachable during a block, the schedule expires the open checkout session", async () => {
    const member = await aFormerSubscriber();
    const { body } = await money.openCheckout(community, member.user);
    const unreachable = money.platform({ billing: billingOf(async () => money.unreachableStripe()) });
    expect((await money.call(block, forMember(member), unreachable)).status).toBe(200);
    await money.reconcile();
    expect(await isPayable(body?.url)).toBe(false);
  });

  it("an import that blocks a member lets the schedule expire their open checkout session", async () => {
    const { person, record } = await anImportedMember();
    const { body } = await money.openCheckout(community, person);
    const blocked = { ...record, is_blocked: true, block_reason: "Fraud" };
    expect(await money.importMember(community, blocked)).toMatchObject({ outcome: "updated" });
    await money.reconcile();
    expect(await isPayable(body?.url)).toBe(false);
  });

  it("an import of a live membership lets the schedule expire the person's open checkout session", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    const record = { user: person, status: "active", current_period_end: "2999-12-01T00:00:00.000Z" };
    const imported = await money.importMember(community, record);
    expect(imported).toMatchObject({ outcome: "created" });
    await money.reconcile();
    expect(await isPayable(body?.url)).toBe(false);
    expect(await members.find(money.table, community.id, imported?.id ?? 0)).toMatchObject({
      status: "active",
      current_period_end: record.current_period_end,
    });
  });

  it("an import that blocked a member can be corrected by another import after the schedule has run", async () => {
    const { person, record } = await anImportedMember();
    await money.openCheckout(community, person);
    await money.importMember(community, { ...record, is_blocked: true });
    await money.reconcile();
    expect(await money.importMember(community, record)).toMatchObject({ outcome: "updated" });
    expect((await money.openCheckout(community, person)).status).toBe(201);
  });

  it("a checkout that completes just before an import blocks the member is canceled and refunded", async () => {
    const { person, record, params } = await anImportedMember();
    const { body } = await money.openCheckout(community, person);
    await money.complete(body?.url);
    await money.importMember(community, { ...record, is_blocked: true });
    await money.reconcile();
    await money.deliverAll();
    const member = await members.find(money.table, community.id, params.id);
    expect(member).toMatchObject({ is_blocked: true, status: "canceled" });
    expect(await balanceOf(member?.stripe_customer_id ?? "")).toEqual({ kept: 0, live: 0 });
  });

  it.each([
    ["period", { current_period_start: "1970-01-01T00:00:00.000Z", current_period_end: "1970-01-01T00:00:00.000Z" }],
    ["first check", { current_period_start: "1969-12-02T00:00:00.000Z" }],
    ["scheduled end", { cancel_at: "1970-01-01T00:00:00.000Z" }],
  ])(
    "an import that blocks a member with the %s at the beginning of 1970 expires their sessions too",
    async (_, times) => {
      const person = await money.aPerson();
      const { body } = await money.openCheckout(community, person);
      const record = { user: { id: person.id }, status: "active", ...times, is_blocked: true };
      expect(await money.importMember(community, record)).toMatchObject({ outcome: "created" });
      await money.reconcile();
      expect(await isPayable(body?.url)).toBe(false);
    },
  );

  it("if a person is blocked while their checkout session is created, the session expires", async () => {
    const member = await aFormerSubscriber();
    const stripes = billingOf(async () => money.stripe);
    const blockedBefore: OpenBilling = (left) => async (ask, key) => {
      if (key?.startsWith("checkout-")) await money.call(block, forMember(member));
      return stripes(left)(ask, key);
    };
    const answer = await money.openCheckout(community, member.user, undefined, { billing: blockedBefore });
    expect(answer).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
    const customer = member.stripe_customer_id ?? "";
    expect((await money.stripe.checkout.sessions.list({ customer, status: "open" })).data).toEqual([]);
  });

  it("a checkout that completes just before the block is canceled and refunded", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    const { body } = await money.openCheckout(community, member.user);
    const { kept: before } = await balanceOf(member.stripe_customer_id);
    await money.complete(body?.url);
    await money.call(block, forMember(member));
    await money.deliverAll();

    const { kept, live } = await balanceOf(member.stripe_customer_id);
    expect({ kept, live }).toEqual({ kept: before, live: 0 });
    expect(await money.memberNow(member)).toMatchObject({ is_blocked: true, status: "canceled" });
  });

  it("a checkout paid with a second card just before the block is canceled, refunded and shown as such", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    await money.complete(body?.url, { decline: true });
    await money.deliverAll();
    const { member_id = 0, customer_id = null } = (await customers.find(money.table, person.id, community.id)) ?? {};
    const params = { community_id: community.id, id: member_id };
    expect(await members.find(money.table, community.id, member_id)).toMatchObject({ status: "incomplete" });
    await money.complete(body?.url);
    await money.call(block, { params });
    await money.deliverAll();

    expect(await balanceOf(customer_id)).toEqual({ kept: 0, live: 0 });
    expect(await members.find(money.table, community.id, member_id)).toMatchObject({ status: "canceled" });
  });
});

it("if a person completes two checkouts, one subscription stays and the other is canceled and refunded", async () => {
  const person = await money.aPerson();
  const [first, second] = await Promise.all([
    money.openCheckout(community, person),
    money.openCheckout(community, person),
  ]);
  for (const { body } of [first, second]) if (body?.url) await money.complete(body.url);
  await money.deliverAll();
  await money.deliverAll();

  const item = await money.table.get(keys.customerOf(person.id, community.id));
  const { kept, live } = await balanceOf(String(item?.customer_id));
  expect({ kept, live }).toEqual({ kept: 2500, live: 1 });
});

describe("cancellations", () => {
  it("a cancellation at period end keeps the member active until then and can be undone", async () => {
    const member = await money.aSubscriber(community);
    const scheduled = await money.call(cancelSubscription, {
      ...forMember(member),
      body: { feedback: "too_expensive" },
    });
    expect(scheduled.body).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: member.current_period_end,
    });
    const again = await money.call(cancelSubscription, forMember(member));
    // Each synchronization takes numbers, whether or not it has events.
    const sequence = expect.any(Number);
    expect(again).toEqual({ status: 200, body: { ...scheduled.body, sequence } });

    expect((await money.call(uncancelSubscription, forMember(member))).body).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
    });
    expect(await money.call(uncancelSubscription, forMember(member))).toMatchObject({
      body: { code: "not_scheduled_to_cancel" },
    });
  });

  it("an immediate cancellation ends the subscription once and refunds nothing", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, forMember(member));
    const ended = await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    expect(ended.body).toMatchObject({ status: "canceled", lifetime_spend_cents: 2500 });
    expect(ended.body?.ended_at).not.toBeNull();
    expect(await money.call(cancelSubscription, forMember(member))).toMatchObject({
      status: 409,
      body: { code: "subscription_already_canceled" },
    });
  });

  it("cancel_subscription of a subscription that has ended at Stripe is refused and updates the member", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    // Stripe reports the end in whole seconds. An end in the same second could be that of this cancellation.
    const later = money.platform({ now: () => fromNow({ seconds: 2 }) });
    for (const mode of ["at_period_end", "immediately"]) {
      const answer = await money.call(cancelSubscription, { ...forMember(member), body: { mode } }, later);
      expect(answer).toMatchObject({ status: 409, body: { code: "subscription_already_canceled" } });
    }
    expect((await money.memberNow(member)).status).toBe("canceled");
  });

  it("a retry of a cancellation that never reached Stripe is refused if the subscription had already ended", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    const later = money.platform({ now: () => fromNow({ minutes: 1 }) });
    const request = { ...forMember(member), ...withKey("too-late"), body: { mode: "immediately" } };
    const unreachable = { ...later, billing: () => () => Promise.reject(new Error("Stripe is out of reach")) };
    expect((await money.call(cancelSubscription, request, unreachable)).status).toBe(500);
    expect(await money.call(cancelSubscription, request, later)).toMatchObject({
      status: 409,
      body: { code: "subscription_already_canceled" },
    });
  });

  it("a retry of a cancellation whose effect a synchronization has already stored completes the operation", async () => {
    const member = await money.aSubscriber(community);
    const request = { ...forMember(member), ...withKey("lost-answer"), body: { mode: "immediately" } };
    const stripes = billingOf(async () => money.stripe);
    const lost: OpenBilling = (left) => async (ask, key) => {
      const answer = await stripes(left)(ask, key);
      if ((answer as { status?: string }).status === "canceled") throw new Error("The answer is lost");
      return answer;
    };
    expect((await money.call(cancelSubscription, request, { ...money.platform(), billing: lost })).status).toBe(500);
    await write(money.table, [{ update: keyOf(member), set: { status: "canceled" }, when: "exists" }]);

    const again = await money.call(cancelSubscription, request);
    expect(again).toMatchObject({ status: 200, body: { status: "canceled", ended_at: expect.any(String) } });
    await expectNothingOpen(money.table, member);
  });
});

it.each(["", "https://app.example.com"])(
  "a checkout refuses redirect URLs outside the configured origins: %j",
  async (origins) => {
    vi.stubEnv("REDIRECT_ORIGINS", origins);
    expect(await money.openCheckout(community, await money.aPerson())).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/success_url" }, { pointer: "/cancel_url" }] },
    });
  },
);
