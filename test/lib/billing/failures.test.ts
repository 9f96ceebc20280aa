import { beforeAll, describe, expect, it } from "vitest";
import { billingOf } from "#lib/billing/stripe.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
let member: StoredMember;
beforeAll(async () => {
  community = await money.aPricedCommunity();
  member = await money.aSubscriber(community);
});

const of = ({ id }: { id: number }) => ({ params: { community_id: community.id, id } });

async function chargeOf({ stripe_customer_id }: StoredMember): Promise<string> {
  const { data } = await money.stripe.charges.list({ customer: stripe_customer_id ?? "" });
  return data[0]?.id ?? "";
}

describe("while Stripe", () => {
  it.each([
    ["is down", { status: 500 }, 502, "payment_processor_error"],
    ["answers nonsense", { nonsense: true }, 502, "payment_processor_error"],
    ["takes no more requests", { status: 429 }, 503, "payment_processor_unavailable"],
  ])("%s, a refund fails so that it can be tried again, and then is made once", async (_, fault, status, code) => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...of(subscriber), body: { amount_cents: 300 }, headers: { "idempotency-key": `down-${code}` } };
    await money.control("faults", { fail_next: { count: true, ...fault } });
    const { headers, ...answer } = await money.answer(issueRefund, request);
    await money.control("faults", { fail_next: 0 });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(headers?.["retry-after"]).toBe("5");

    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).total_refunded_cents).toBe(300);
  });

  it("does what it is asked and its answer is lost, the retry finds what was done", async () => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...of(subscriber), body: { amount_cents: 300 }, headers: { "idempotency-key": "lost" } };
    await money.call(cancelSubscription, of(subscriber));
    await money.control("faults", { fail_next: { count: 6, status: 500, after: true } });
    await money.call(issueRefund, request);
    await money.control("faults", { fail_next: 0 });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).refunds).toHaveLength(1);
  });

  it("cannot be reached at all, the request says so", async () => {
    const gone = money.platform({
      billing: billingOf(async () => money.unreachable()),
    });
    const answer = await money.answer(subscriptionDetails, of(member), gone);
    expect(answer).toMatchObject({ status: 503, body: { code: "payment_processor_unavailable" } });
  });

  it("is slower than the request may wait, the request ends in time and the intent is kept", async () => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...of(subscriber), body: { amount_cents: 400 }, headers: { "idempotency-key": "slow" } };
    const hasty = money.platform({ billing: () => billingOf(async () => money.stripe)(() => 40) });
    await money.control("faults", { latency_ms: 120_000 });
    const answer = await money.answer(issueRefund, request, hasty);
    await money.control("faults", { latency_ms: 0 });
    expect([503, 504]).toContain(answer.status);
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).total_refunded_cents).toBe(400);
  });
});

describe("what Stripe refuses", () => {
  it("a refund of a charge that the bank has taken back", async () => {
    const subscriber = await money.aSubscriber(community);
    await money.control("disputes", { charge: await chargeOf(subscriber) });
    expect(await money.call(issueRefund, of(subscriber))).toMatchObject({
      status: 409,
      body: { code: "charge_disputed" },
    });
    expect(await money.call(issueRefund, of(subscriber))).toMatchObject({ body: { code: "charge_disputed" } });
  });

  it("is not a refund while the bank only asks", async () => {
    const subscriber = await money.aSubscriber(community);
    await money.control("disputes", { charge: await chargeOf(subscriber), status: "warning_needs_response" });
    expect(await money.call(issueRefund, of(subscriber))).toMatchObject({ status: 201 });
  });

  it("a refund that somebody else has just made in the dashboard", async () => {
    const subscriber = await money.aSubscriber(community);
    const charge = await chargeOf(subscriber);
    const refund = (amount_cents: number) =>
      money.call(refundCharge, { ...of(subscriber), body: { charge_id: charge, amount_cents } });
    await money.control("refund", { charge, amount: 2400 });
    expect(await refund(101)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 100 },
    });
    await money.control("refund", { charge, amount: 100 });
    expect(await refund(1)).toMatchObject({ status: 409, body: { code: "charge_already_refunded" } });
  });
});

describe("what an operation costs at Stripe", () => {
  it.each([
    ["a refund", () => money.call(issueRefund, { ...of(member), body: { amount_cents: 1 } }), 4],
    ["a cancellation", () => money.call(cancelSubscription, of(member)), 3],
    ["the payment history", () => money.call(paymentHistory, of(member)), 2],
    ["the subscription's details", () => money.call(subscriptionDetails, of(member)), 1],
  ])("%s", async (_, act, calls) => {
    const { status, asked } = await money.counting(act);
    expect({ status: status === 200 || status === 201, asked: asked.length }).toEqual({ status: true, asked: calls });
  });
});
