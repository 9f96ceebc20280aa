import * as v from "valibot";
import { expect, it } from "vitest";
import { accessOf } from "#lib/domain/access.ts";
import { PlannedPrice } from "#lib/fields/operation.ts";
import { newestOfMember } from "#lib/store/activity.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancel } from "../../../functions/members/uncancel-subscription.ts";
import { handler as change } from "../../../functions/subscriptions/change.ts";
import { fromNow } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { deadAfter } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

/** Puts the member's subscription under a schedule, which keeps its price. */
const schedule = ({ stripe_subscription_id: id }: StoredMember): Promise<void> =>
  money.control(`subscriptions/${id}`, {
    schedule: { phases: [{ price: community.tier.stripe_price_id, starts_in_days: 20 }] },
  });

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", {});

it.each([
  ["cancel_subscription at the period's end", cancel, { mode: "at_period_end" }, { cancel_at_period_end: true }],
  ["cancel_subscription at once", cancel, { mode: "immediately" }, { status: "canceled" }],
  ["uncancel_subscription", uncancel, undefined, { cancel_at_period_end: false }],
] as const)("%s releases the subscription from its schedule", async (_, endpoint, body, expected) => {
  const member = await money.aSubscriber(community);
  if (endpoint === uncancel) await money.call(cancel, { ...forMember(member), body: {} });
  await schedule(member);
  const { status, body: answered } = await money.call(endpoint, { ...forMember(member), body });
  expect({ status, answered }).toMatchObject({ status: 200, answered: expected });
  expect(await subscriptionOf(member)).toMatchObject({ schedule: null, ...expected });
  await expectNothingOpen(money.table, member);
});

it.each(["at_period_end", "immediately"])(
  "the reason and the comment of a cancellation %s are stored in Stripe",
  async (mode) => {
    const member = await money.aSubscriber(community);
    const reason = { feedback: "unused", comment: "I moved to Oaxaca" };
    expect(await money.call(cancel, { ...forMember(member), body: { mode, ...reason } })).toMatchObject({
      status: 200,
    });
    expect((await subscriptionOf(member)).cancellation_details).toMatchObject(reason);
  },
);

it("cancel_subscription moves an end that Stripe has scheduled for a later period to the end of this one", async () => {
  const member = await money.aSubscriber(community);
  const { stripe_subscription_id: id } = member;
  const later = Math.floor(Date.parse(member.current_period_end) / 1000) + 150 * 86_400;
  await money.stripe.subscriptions.update(id ?? "", { cancel_at: later });
  await money.deliverAll();
  const shown = { current_period_end: member.current_period_end, cancel_at: new Date(later * 1000).toISOString() };
  const renewed = { ...shown, cancel_at_period_end: false, price_cents: member.price_cents };
  expect(await money.memberNow(member)).toMatchObject(renewed);
  expect(accessOf(false, await money.memberNow(member))).toMatchObject({ reason: "canceling", until: shown.cancel_at });

  const { status, body } = await money.call(cancel, forMember(member));
  const ending = { cancel_at_period_end: true, cancel_at: member.current_period_end, price_cents: null };
  expect({ status, body }).toMatchObject({ status: 200, body: ending });
  await expectNothingOpen(money.table, member);
  const entries = (await newestOfMember(money.table, member.id, 2)).entries;
  expect(entries).toMatchObject([
    { action: "cancel_scheduled", actor: { type: "user" }, after: { cancel_at: member.current_period_end } },
    { action: "cancel_scheduled", actor: { type: "stripe" }, after: { cancel_at: shown.cancel_at } },
  ]);
});

it("a change that is scheduled stays known while collection is paused, because Stripe makes it", async () => {
  const member = await money.aSubscriber(community);
  const cheaper = await money.aPricedTier(community, { monthly_price_dollars: 5 });
  const body = { tier_id: cheaper.id, interval: "month" };
  expect(await money.call(change, { ...forMember(member), body })).toMatchObject({ status: 200 });
  const scheduled = { tier: { id: cheaper.id }, price_cents: 500 };
  expect(await money.memberNow(member)).toMatchObject({ scheduled_change: scheduled, price_cents: 500 });
  await money.control(`subscriptions/${member.stripe_subscription_id}`, { pause_collection: { behavior: "void" } });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({ scheduled_change: scheduled, price_cents: null });
  const [newest] = (await newestOfMember(money.table, member.id, 1)).entries;
  expect(newest?.action).not.toBe("change_canceled");
});

it("the activity shows the planned price that is discarded with a subscription schedule", async () => {
  const other = (await money.aPricedCommunity()).tier.stripe_price_id;
  const member = await money.aSubscriber(community);
  const plan = async () => {
    const at = Math.floor(Date.now() / 1000);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, {
      schedule: { phases: [{ price: other, starts_in_days: 20 }] },
    });
    return at;
  };
  const newest = async () => (await newestOfMember(money.table, member.id, 1)).entries[0];
  for (const [endpoint, action] of [
    [cancel, "cancel_scheduled"],
    [uncancel, "uncanceled"],
  ] as const) {
    const at = await plan();
    await money.call(endpoint, forMember(member));
    const entry = await newest();
    expect(entry).toMatchObject({ action, actor: { type: "user" } });
    expect(entry?.after).toMatchObject({ dropped_prices: [{ stripe_price_id: other }] });
    const [dropped] = v.parse(v.array(PlannedPrice), entry?.after?.dropped_prices);
    expect(Math.abs(Date.parse(dropped?.starts_at ?? "") / 1000 - at - 20 * 86_400)).toBeLessThan(60);
  }
});

it("the activity shows no discarded price if the subscription had no subscription schedule", async () => {
  const member = await money.aSubscriber(community);
  await money.call(cancel, forMember(member));
  const [entry] = (await newestOfMember(money.table, member.id, 1)).entries;
  expect(entry?.after).not.toHaveProperty("dropped_prices");
});

it("a cancellation that crashes while releasing a subscription schedule is finished by the next run", async () => {
  let status: number | undefined;
  for (let calls = 2; status !== 200; calls++) {
    const member = await money.aSubscriber(community);
    await schedule(member);
    const call = { ...forMember(member), body: { mode: "at_period_end" } };
    ({ status } = await money.withFault(deadAfter(calls), () => money.call(cancel, call)));
    const { operations } = await ledgerOf(money.table, member.id);
    await money.reconcile(fromNow({ hours: 1 }));
    const isCanceled = status === 200 || operations.length > 0;
    expect((await subscriptionOf(member)).cancel_at_period_end).toBe(isCanceled);
    expect((await money.memberNow(member)).cancel_at_period_end).toBe(isCanceled);
    await expectNothingOpen(money.table, member);
  }
});

it("a rejected subscription with a subscription schedule is canceled, and its draft invoice is voided", async () => {
  const member = await money.aSubscriber(community);
  await money.call(cancel, { ...forMember(member), body: { mode: "immediately" } });
  const { body } = await money.openCheckout(community, member.user);
  await money.complete(body?.url);
  const [second] = await money.subscriptionsOf(member.stripe_customer_id);
  const id = second?.id ?? "";
  await money.control(`subscriptions/${id}`, { pause_collection: { behavior: "keep_as_draft" } });
  await money.control("advance", { days: 31 });
  expect((await money.stripe.invoices.list({ subscription: id })).data[0]).toMatchObject({ status: "draft" });
  await schedule({ ...member, stripe_subscription_id: id });
  await money.call(block, forMember(member));
  await money.deliverAll();

  expect(await money.stripe.subscriptions.retrieve(id)).toMatchObject({ status: "canceled" });
  const { data } = await money.stripe.invoices.list({ subscription: id });
  expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
  expect(await money.memberNow(member)).toMatchObject({ status: "canceled", lifetime_spend_cents: 2500 });
  await expectNothingOpen(money.table, member);
});

it("an immediate cancellation that Stripe's client resends succeeds, and its response is stored", async () => {
  const member = await money.aSubscriber(community);
  const call = { ...forMember(member), body: { mode: "immediately" }, ...withKey("lost answer") };
  await money.control("faults", { fail_next: { method: "DELETE", status: 500, after: true } });
  const { asked, status } = await money.requestsDuring(() => money.call(cancel, call));
  const deletions = asked.filter(({ method }) => method === "DELETE");
  expect(deletions).toMatchObject([{ status: 500 }, { status: 404 }]);
  expect(status).toBe(200);
  expect(await money.answer(cancel, call)).toMatchObject({
    status: 200,
    headers: { "idempotency-replayed": "true" },
    body: { status: "canceled" },
  });
  await expectNothingOpen(money.table, member);
});

it("a resent immediate cancellation succeeds if the function's clock is five seconds ahead", async () => {
  const member = await money.aSubscriber(community);
  await money.control("faults", { fail_next: { method: "DELETE", status: 500, after: true } });
  const atStripe = money.standIn.act((account) => account.now());
  const platform = money.platform({ now: () => new Date(1000 * (atStripe + 5)) });
  const call = { ...forMember(member), body: { mode: "immediately" } };
  expect(await money.call(cancel, call, platform)).toMatchObject({ status: 200, body: { status: "canceled" } });
});

it("an immediate cancellation of a subscription that ended before the request returns 409", async () => {
  const member = await money.aSubscriber(community);
  await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
  const platform = money.platform({ now: () => fromNow({ hours: 24 * 60 }) });
  const call = { ...forMember(member), body: { mode: "immediately" } };
  expect(await money.call(cancel, call, platform)).toMatchObject({
    status: 409,
    body: { code: "subscription_already_canceled" },
  });
  expect(await money.memberNow(member)).toMatchObject({ status: "canceled" });
});
