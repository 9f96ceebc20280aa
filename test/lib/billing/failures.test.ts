import { describe, expect, it } from "vitest";
import { cancel } from "#lib/billing/cancellation.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());
const member = setUp(() => money.aSubscriber(community));

const newestChargeOf = async ({ stripe_customer_id }: StoredMember) =>
  (await money.chargesOf(stripe_customer_id))[0]?.id;

describe("Stripe fails", () => {
  it.each([
    ["returned 500", { status: 500 }, 502, "payment_processor_error"],
    ["returned invalid JSON", { nonsense: true }, 502, "payment_processor_error"],
    ["throttled it", { status: 429 }, 503, "payment_processor_unavailable"],
  ])("a retry of a refund that failed because Stripe %s creates one refund", async (_, fault, status, code) => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...forMember(subscriber), ...withKey(`down-${code}`), body: { amount_cents: 300 } };
    await money.control("faults", { fail_next: { count: true, ...fault } });
    const { headers, ...answer } = await money.answer(issueRefund, request);
    await money.control("faults", { fail_next: 0 });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(headers?.["retry-after"]).toBe("5");

    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).total_refunded_cents).toBe(300);
  });

  it("a retry of a refund whose response from Stripe was lost returns that refund", async () => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...forMember(subscriber), ...withKey("lost"), body: { amount_cents: 300 } };
    await money.call(cancelSubscription, forMember(subscriber));
    await money.control("faults", { fail_next: { count: 6, status: 500, after: true } });
    await money.call(issueRefund, request);
    await money.control("faults", { fail_next: 0 });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).refunds).toHaveLength(1);
  });

  it("subscription_details returns payment_processor_unavailable if Stripe cannot be reached", async () => {
    const gone = money.platform({ billing: billingOf(async () => money.unreachableStripe()) });
    const answer = await money.answer(subscriptionDetails, forMember(member), gone);
    expect(answer).toMatchObject({ status: 503, body: { code: "payment_processor_unavailable" } });
  });

  it("a refund to which Stripe responds too slowly times out, and a retry creates it once", async () => {
    const subscriber = await money.aSubscriber(community);
    const request = { ...forMember(subscriber), ...withKey("slow"), body: { amount_cents: 400 } };
    const hasty = money.platform({ billing: () => billingOf(async () => money.stripe)(() => 40) });
    await money.control("faults", { latency_ms: 120_000 });
    const answer = await money.answer(issueRefund, request, hasty);
    await money.control("faults", { latency_ms: 0 });
    expect([503, 504]).toContain(answer.status);
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    expect((await money.memberNow(subscriber)).total_refunded_cents).toBe(400);
  });
});

describe("Stripe refuses", () => {
  it("a charge can be refunded during an inquiry of the bank", async () => {
    const subscriber = await money.aSubscriber(community);
    await money.control("disputes", { charge: await newestChargeOf(subscriber), status: "warning_needs_response" });
    expect(await money.call(issueRefund, forMember(subscriber))).toMatchObject({ status: 201 });
  });

  it("refund_charge respects a refund that was just made in the dashboard", async () => {
    const subscriber = await money.aSubscriber(community);
    const charge = await newestChargeOf(subscriber);
    const refund = (amount_cents: number) =>
      money.call(refundCharge, { ...forMember(subscriber), body: { charge_id: charge, amount_cents } });
    await money.control("refund", { charge, amount: 2400 });
    expect(await refund(101)).toMatchObject({
      status: 422,
      body: { code: "amount_exceeds_refundable", refundable_cents: 100 },
    });
    await money.control("refund", { charge, amount: 100 });
    expect(await refund(1)).toMatchObject({ status: 409, body: { code: "charge_already_refunded" } });
  });
});

it("a synchronization of a member who can never be stored fails after 20 attempts, and does not ask Stripe until its deadline", async () => {
  const person = await money.aPerson();
  const { body } = await money.openCheckout(community, person);
  await money.complete(body?.url);
  const membership = { ...keys.membership(person.id, community.id), member_id: 1 };
  await write(money.table, [{ put: membership }]);
  const reserved = await money.table.get(keys.customerOf(person.id, community.id));
  const billing = billingOf(async () => money.stripe)(() => 20_000);
  const context = { table: money.table, billing, now: new Date() };
  const link = {
    customer_id: String(reserved?.customer_id),
    community_id: community.id,
    member_id: Number(reserved?.member_id),
    user_id: person.id,
  };
  const { asked } = await money.requestsDuring(async () => {
    await expect(syncMember(context, link)).rejects.toMatchObject({ code: "unavailable" });
    return {};
  });
  expect(asked.length).toBeLessThanOrEqual(20 * 4);
});

it("a second attempt at a completed cancellation returns the member as the first attempt canceled it", async () => {
  const subscriber = await money.aSubscriber(community);
  const billing = billingOf(async () => money.stripe)(() => 20_000);
  const context = { table: money.table, billing, now: new Date() };
  const request = {
    operationId: "op_of_two_attempts",
    fingerprint: null,
    actorId: 1,
    requestId: "r",
    begunAt: new Date(),
    isConditional: false,
  };
  const attempt = () => cancel(context, subscriber, { mode: "immediately", feedback: null, comment: null }, request);
  const first = await attempt();
  expect(first.status).toBe("canceled");
  expect(await attempt()).toMatchObject({ status: "canceled", canceled_at: first.canceled_at });
});

it.each([
  ["issue_refund", () => money.call(issueRefund, { ...forMember(member), body: { amount_cents: 1 } }), 4],
  ["cancel_subscription", () => money.call(cancelSubscription, forMember(member)), 4],
  ["payment_history", () => money.call(paymentHistory, forMember(member)), 3],
  ["subscription_details", () => money.call(subscriptionDetails, forMember(member)), 1],
])("%s sends only the necessary requests to Stripe", async (_, act, calls) => {
  const { status, asked } = await money.requestsDuring(act);
  expect({ status: status === 200 || status === 201, asked: asked.length }).toEqual({ status: true, asked: calls });
});
