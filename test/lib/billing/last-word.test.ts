import { expect, it } from "vitest";
import type { Billing } from "#lib/billing/stripe.ts";
import type { Operation } from "#lib/domain/operation.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { begin } from "#lib/store/operations.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

type Platform = ReturnType<typeof money.platform>;

const cancel = (member: StoredMember, platform?: Platform) =>
  money.call(cancelSubscription, forMember(member), platform);
const uncancel = (member: StoredMember, platform?: Platform) =>
  money.call(uncancelSubscription, forMember(member), platform);

/** Sends a request that cannot reach Stripe. */
const withoutStripe = async (
  send: (member: StoredMember, platform: Platform) => Promise<unknown>,
  member: StoredMember,
) => send(member, money.platform({ billing: () => () => Promise.reject(new Error("Stripe cannot be reached")) }));

const isEndingAtStripe = async ({ stripe_subscription_id: id }: StoredMember) =>
  (await money.stripe.subscriptions.retrieve(id ?? "")).cancel_at_period_end;

async function afterReconcile(member: StoredMember) {
  await money.reconcile(fromNow({ minutes: 10 }));
  await money.deliverAll();
  await expectNothingOpen(money.table, member);
  const { cancel_at_period_end } = await money.memberNow(member);
  return { record: cancel_at_period_end, stripe: await isEndingAtStripe(member) };
}

it("a cancellation stays if the withdrawal before it did not reach Stripe", async () => {
  const member = await money.aSubscriber(community);
  await cancel(member);
  await withoutStripe(uncancel, member);
  expect(await cancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: true } });
  expect(await afterReconcile(member)).toEqual({ record: true, stripe: true });
});

it("a withdrawal completes the cancellation before it that did not reach Stripe, and withdraws it", async () => {
  const member = await money.aSubscriber(community);
  await withoutStripe(cancel, member);
  expect(await uncancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: false } });
  expect(await afterReconcile(member)).toEqual({ record: false, stripe: false });
});

it("a cancellation or a withdrawal that is requested again completes the first one", async () => {
  const member = await money.aSubscriber(community);
  await withoutStripe(cancel, member);
  expect(await cancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: true } });
  await withoutStripe(uncancel, member);
  expect(await uncancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: false } });
  expect(await uncancel(member)).toMatchObject({ status: 409, body: { code: "not_scheduled_to_cancel" } });
  expect(await afterReconcile(member)).toEqual({ record: false, stripe: false });
});

it.each(["before", "after"] as const)(
  "a cancellation is the last word, wherever the withdrawal before it crashes (%s a call)",
  async (moment) => {
    for (let n = 1; ; n++) {
      const member = await money.aSubscriber(community);
      await cancel(member);
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, () => uncancel(member));
      const { status } = await cancel(member);
      expect({ n, status, ...(await afterReconcile(member)) }).toEqual({ n, status: 200, record: true, stripe: true });
      if (crash.calls < n) break;
    }
  },
);

it("what somebody has just changed in Stripe's portal counts, also if its event is still on the way", async () => {
  const member = await money.aSubscriber(community);
  const inPortal = (cancel_at_period_end: boolean) =>
    money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end });
  await cancel(member);
  await inPortal(false);
  expect(await cancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: true } });
  expect(await isEndingAtStripe(member)).toBe(true);
  await inPortal(false);
  await money.deliverAll();
  await inPortal(true);
  expect(await uncancel(member)).toMatchObject({ status: 200, body: { cancel_at_period_end: false } });
  expect(await afterReconcile(member)).toEqual({ record: false, stripe: false });
});

it("a withdrawal cannot begin while a cancellation is open", async () => {
  const member = await money.aSubscriber(community);
  const subscription_id = member.stripe_subscription_id ?? "";
  await withoutStripe(cancel, member);
  const operation: Operation = {
    id: `op_of_${member.id}`,
    community_id: community.id,
    member_id: member.id,
    customer_id: member.stripe_customer_id ?? "",
    actor_id: member.user.id,
    request_id: "request",
    intent: { kind: "uncancel", subscription_id },
    fingerprint: null,
    state: "open",
    created_at: fromNow({}).toISOString(),
  };
  await expect(begin(money.table, operation)).rejects.toMatchObject({ code: "request_in_progress" });
});

it("a cancellation that was withdrawn in Stripe before it was recorded is not made again", async () => {
  const member = await money.aSubscriber(community);
  let isLost = false;
  const billing: Billing = async (ask, key) => {
    if (isLost) throw new Error("Stripe cannot be reached");
    const response = await ask(money.stripe, key === undefined ? {} : { idempotencyKey: key });
    isLost = (response as { cancel_at_period_end?: boolean }).cancel_at_period_end === true;
    if (isLost) throw new Error("The response is lost");
    return response;
  };
  await cancel(member, money.platform({ billing: () => billing }));
  await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end: false });
  await money.deliverAll();
  await money.reconcile(fromNow({ minutes: 10 }));
  await money.control("advance", { days: 2 });
  expect(await afterReconcile(member)).toEqual({ record: false, stripe: false });
});
