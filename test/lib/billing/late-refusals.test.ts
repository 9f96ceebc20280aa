import { expect, it } from "vitest";
import type { Billing } from "#lib/billing/stripe.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { Problem } from "#lib/problem.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { handler as uncancelOwn } from "../../../functions/membership/uncancel-subscription.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow } from "../../support/clock.ts";
import type { Call } from "../../support/direct.ts";
import { atStripe, expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

const outcomeUnknown = { status: 503, body: { code: "outcome_unknown" } };

const requestOf = (member: StoredMember, body: object = {}) => ({
  ...forMember(member),
  ...withKey(`late-${member.id}`),
  body,
});

/** A request of a person about their own membership. */
const ownRequestOf = (member: StoredMember) => ({
  ...requestOf(member),
  params: { community_id: member.community_id },
  as: { id: member.user.id },
});

/** A platform whose request times out at its first call to Stripe with an idempotency key, before or after its effect. */
function timingOut(moment: "before" | "after") {
  const real = money.platform().billing?.(() => 20_000) as Billing;
  const billing: Billing = async (ask, key) => {
    if (key !== undefined && moment === "before") throw new Problem("timeout");
    const answer = await real(ask, key);
    if (key !== undefined) throw new Problem("timeout");
    return answer;
  };
  return money.platform({ billing: () => billing });
}

/** Makes a request that takes effect at Stripe but whose response is lost. */
async function timeOutAfterEffect(endpoint: Endpoint, request: Call): Promise<void> {
  expect(await money.call(endpoint, request, timingOut("after"))).toMatchObject({ status: 504 });
}

const deleteCustomer = ({ stripe_customer_id: id }: StoredMember) => money.stripe.customers.del(id ?? "");

it("the retry of a refund that Stripe created returns outcome_unknown if the customer was deleted in the meantime", async () => {
  const member = await money.aSubscriber(community);
  const request = requestOf(member, { amount_cents: 600 });
  await timeOutAfterEffect(issueRefund, request);
  expect((await atStripe(money, member)).refunds).toMatchObject([{ amount: 600 }]);
  await deleteCustomer(member);
  expect(await money.call(issueRefund, request)).toMatchObject(outcomeUnknown);

  await money.deliverAll();
  await expectNothingOpen(money.table, member);
  expect(await money.memberNow(member)).toMatchObject({ total_refunded_cents: 600 });
  expect(await money.call(issueRefund, request)).toMatchObject(outcomeUnknown);
});

it.each([
  ["the owner's", uncancelSubscription, requestOf],
  ["the member's own", uncancelOwn, ownRequestOf],
])(
  "the retry of %s uncancellation that Stripe performed returns outcome_unknown if the member was blocked in the meantime",
  async (_, endpoint, requestFor) => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, forMember(member));
    const request = requestFor(member);
    await timeOutAfterEffect(endpoint, request);
    expect(await money.call(block, { ...forMember(member), body: {} })).toMatchObject({ status: 200 });
    expect(await money.subscriptionsOf(member.stripe_customer_id)).toMatchObject([{ cancel_at_period_end: false }]);
    expect(await money.call(endpoint, request)).toMatchObject(outcomeUnknown);
    await money.reconcile(fromNow({ minutes: 10 }));
    expect(await money.call(endpoint, request)).toMatchObject({ status: 200 });
  },
);

it("the retry of a cancellation that Stripe performed returns outcome_unknown if the person was erased in the meantime", async () => {
  const member = await money.aSubscriber(community);
  const request = requestOf(member, { mode: "at_period_end" });
  await timeOutAfterEffect(cancelSubscription, request);
  await money.deliverAll();
  const erasure = { params: { id: member.user.id }, body: { dry_run: false, cancel_subscriptions: true } };
  expect(await money.call(erasing(money.outside), erasure)).toMatchObject({ status: 200 });
  expect(await money.call(cancelSubscription, request)).toMatchObject(outcomeUnknown);
  const another = { ...request, ...withKey(`other-${member.id}`) };
  expect(await money.call(cancelSubscription, another)).toMatchObject({ status: 409, body: { code: "person_erased" } });
});

it("the retry of a refund that timed out before it began is refused if the customer was deleted in the meantime", async () => {
  const member = await money.aSubscriber(community);
  const request = requestOf(member);
  await money.control("faults", { fail_next: { count: 6, status: 500 } });
  expect(await money.call(issueRefund, request)).toMatchObject({ status: 502 });
  await money.control("faults", { fail_next: 0 });
  await deleteCustomer(member);
  expect(await money.call(issueRefund, request)).toMatchObject({ status: 409, body: { code: "nothing_to_refund" } });
});

it("the retry of a refund that did not reach Stripe returns Stripe's refusal", async () => {
  const member = await money.aSubscriber(community);
  const request = requestOf(member);
  expect(await money.call(issueRefund, request, timingOut("before"))).toMatchObject({ status: 504 });
  await money.control("refuse", { code: "balance_insufficient" });
  expect(await money.call(issueRefund, request)).toMatchObject({ status: 409 });
  await expectNothingOpen(money.table, member);
});

it("the Idempotency-Key of a cancellation with an unknown outcome is refused for another body", async () => {
  const member = await money.aSubscriber(community);
  await timeOutAfterEffect(cancelSubscription, requestOf(member, { mode: "at_period_end" }));
  expect(await money.call(cancelSubscription, requestOf(member, { mode: "immediately" }))).toMatchObject({
    status: 422,
    body: { code: "idempotency_key_reused" },
  });
});
