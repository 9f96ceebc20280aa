import { beforeAll, describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

const of = ({ id }: { id: number }) => ({ params: { community_id: community.id, id } });
const keyed = (key: string) => ({ "idempotency-key": key });

/** A member's charges at Stripe, newest first, with what was refunded of each. */
async function chargesOf({ stripe_customer_id }: StoredMember) {
  const { data } = await money.stripe.charges.list({ customer: stripe_customer_id ?? "", limit: 100 });
  return data;
}

const refundedOf = async (member: StoredMember): Promise<number[]> =>
  (await chargesOf(member)).map(({ amount_refunded }) => amount_refunded);

async function expectNothingOpen({ id }: StoredMember): Promise<void> {
  const { operations } = await ledgerOf(money.table, id);
  expect(operations.filter(({ state }) => state === "open")).toEqual([]);
  const { items } = await money.table.query({ pk: "OPERATIONS" });
  expect(items.filter(({ member_id }) => member_id === id)).toEqual([]);
}

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);

describe("a refund that Stripe refused, repeated with its Idempotency-Key", () => {
  it("is never a refund of another charge, however much later it is repeated", async () => {
    const member = await money.aSubscriber(community);
    const request = { ...of(member), headers: keyed("disputed") };
    await money.control("disputes", { charge: (await chargesOf(member))[0]?.id });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 409, body: { code: "charge_disputed" } });

    await money.control("advance", { days: 31 });
    await money.deliverAll();
    for (const now of [new Date(), hours(1), hours(25)]) {
      const on = money.platform({ now: () => now });
      expect(await money.call(issueRefund, request, on)).toMatchObject({ body: { code: "charge_disputed" } });
      await expectNothingOpen(member);
      await money.reconcile(hours(26));
    }
    expect(await refundedOf(member)).toEqual([0, 0]);
  });

  it("asks Stripe anew, so that it is made once the reason is gone", async () => {
    const member = await money.aSubscriber(community);
    const request = { ...of(member), body: { amount_cents: 700 }, headers: keyed("won") };
    const charge = (await chargesOf(member))[0]?.id;
    await money.control("disputes", { charge });
    expect(await money.call(issueRefund, request)).toMatchObject({ body: { code: "charge_disputed" } });
    expect(await money.call(issueRefund, request)).toMatchObject({ body: { code: "charge_disputed" } });
    await money.control("disputes", { charge, status: "won" });

    expect(await money.call(issueRefund, request)).toMatchObject({
      status: 201,
      body: { refund: { charge_id: charge } },
    });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect(await refundedOf(member)).toEqual([700]);
    await expectNothingOpen(member);
  });

  it("keeps the amount that was chosen first", async () => {
    const member = await money.aSubscriber(community);
    const charge = (await chargesOf(member))[0]?.id;
    await money.control("refuse", { code: "balance_insufficient" });
    const request = { ...of(member), headers: keyed("amount") };
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 409 });
    await money.control("refund", { charge, amount: 400 });
    expect(await money.call(issueRefund, request)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 2100 },
    });
    expect(await refundedOf(member)).toEqual([400]);
  });

  it("leaves the charge free for other refunds at once", async () => {
    const member = await money.aSubscriber(community);
    await money.control("refuse", { code: "balance_insufficient" });
    expect(await money.call(issueRefund, { ...of(member), headers: keyed("free") })).toMatchObject({ status: 409 });
    await expectNothingOpen(member);
    expect(await money.call(issueRefund, { ...of(member), body: { amount_cents: 100 } })).toMatchObject({
      status: 201,
    });
  });

  it("is refused with another body", async () => {
    const member = await money.aSubscriber(community);
    await money.control("refuse", { code: "balance_insufficient" });
    await money.call(issueRefund, { ...of(member), headers: keyed("body") });
    const other = { ...of(member), headers: keyed("body"), body: { amount_cents: 1 } };
    expect(await money.call(issueRefund, other)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
  });
});

describe("what Stripe refuses with a code of its own is a 409 that names it", () => {
  const refused = { status: 409, body: { code: "payment_processor_refused", processor_code: "balance_insufficient" } };

  it.each([
    ["a refund", issueRefund, {}],
    ["a cancellation at the period's end", cancelSubscription, {}],
    ["a cancellation at once", cancelSubscription, { mode: "immediately" }],
  ])("%s, which changes nothing, leaves nothing open and succeeds when it is repeated", async (name, route, body) => {
    const member = await money.aSubscriber(community);
    const request = { ...of(member), body, headers: keyed(name.replaceAll("'", "")) };
    await money.control("refuse", { code: "balance_insufficient" });
    expect(await money.call(route, request)).toMatchObject(refused);
    expect(await money.memberNow(member)).toEqual(member);
    await expectNothingOpen(member);
    const { status } = await money.call(route, request);
    expect([200, 201]).toContain(status);
    await expectNothingOpen(member);
  });

  it("an uncancellation", async () => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, of(member));
    await money.control("refuse", { code: "balance_insufficient" });
    expect(await money.call(uncancelSubscription, of(member))).toMatchObject(refused);
    await expectNothingOpen(member);
    expect(await money.call(uncancelSubscription, of(member))).toMatchObject({ body: { cancel_at_period_end: false } });
  });
});

const address = {
  name: "Ana",
  line1: "Calle 1",
  line2: "",
  city: "Oaxaca",
  state: "",
  postal_code: "68000",
  country: "MX",
};

describe("a customer that was deleted at Stripe", () => {
  async function aDeletedCustomer(): Promise<StoredMember> {
    const member = await money.aSubscriber(community);
    await money.stripe.customers.del(member.stripe_customer_id ?? "");
    await money.deliverAll();
    return money.memberNow(member);
  }

  it("does not keep the person out: checkout makes a new one, and the membership goes on under it", async () => {
    const member = await aDeletedCustomer();
    expect(member.status).toBe("canceled");
    const { status, body } = await money.openCheckout(community, member.user);
    expect(status).toBe(201);
    await money.complete(body?.url);
    await money.deliverAll();
    const now = await money.memberNow(member);
    expect(now).toMatchObject({ id: member.id, status: "active" });
    expect(now.stripe_customer_id).not.toBe(member.stripe_customer_id);
    expect(await money.call(issueRefund, of(member))).toMatchObject({ status: 201 });
  });

  it("changes nothing any more once there is a new one", async () => {
    const member = await aDeletedCustomer();
    const { body } = await money.openCheckout(community, member.user);
    await money.complete(body?.url);
    await money.deliverAll();
    const now = await money.memberNow(member);
    await money.redeliver(member.stripe_customer_id ?? "", hours(-1));
    await money.reconcile(hours(24 * 40));
    expect(await money.memberNow(member)).toEqual({ ...now, sync_version: expect.any(Number) });
    expect(await money.table.get(keys.customer(member.stripe_customer_id ?? ""))).toBeUndefined();
  });

  it("gets no portal, and its member's address is kept here", async () => {
    const member = await aDeletedCustomer();
    const portal = {
      params: { community_id: community.id },
      as: member.user,
      body: { return_url: "http://127.0.0.1:3000/" },
    };
    expect(await money.call(createPortalSession, portal)).toMatchObject({
      status: 409,
      body: { code: "no_subscription" },
    });
    const edit = { ...of(member), body: { member: { shipping_address: address } } };
    expect(await money.call(updateMember, edit)).toMatchObject({ status: 200, body: { shipping_address: address } });
  });
});

describe("a customer whom Stripe does not know, as an import may name one", () => {
  async function anUnknownCustomer(name: string): Promise<StoredMember> {
    const { id } = await money.aPerson();
    const record = {
      user: { id },
      tier_id: community.tier.id,
      status: "active",
      created_at: "2025-05-01T00:00:00.000Z",
      current_period_start: "2026-10-01T00:00:00.000Z",
      current_period_end: "2026-11-01T00:00:00.000Z",
      lifetime_spend_cents: 5000,
      stripe_customer_id: `cus_typo${name}`,
      stripe_subscription_id: `sub_typo${name}`,
    };
    const { body } = await money.call(importBatch, {
      params: { community_id: community.id },
      body: { members: [record] },
    });
    const [outcome] = (body as { data: { id: number }[] }).data;
    const member = await members.find(money.table, community.id, outcome?.id ?? 0);
    if (!member) throw new Error("The member was not imported");
    return member;
  }

  it.each([
    ["history", paymentHistory, {}, 200, undefined],
    ["details", subscriptionDetails, {}, 409, "no_subscription"],
    ["refund", issueRefund, {}, 409, "nothing_to_refund"],
    ["charge", refundCharge, { charge_id: "ch_1" }, 409, "nothing_to_refund"],
    ["cancel", cancelSubscription, {}, 409, "subscription_already_canceled"],
    ["end", cancelSubscription, { mode: "immediately" }, 409, "subscription_already_canceled"],
    ["edit", updateMember, { member: { shipping_address: address } }, 200, undefined],
  ])("is never a 500: %s", async (name, route, body, status, code) => {
    const member = await anUnknownCustomer(name);
    const answer = await money.call(route, { ...of(member), ...(Object.keys(body).length > 0 && { body }) });
    expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
    await money.reconcile(hours(1));
    await expectNothingOpen(member);
    expect((await money.memberNow(member)).lifetime_spend_cents).toBe(5000);
  });
});
