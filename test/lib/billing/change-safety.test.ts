import { describe, expect, it } from "vitest";
import { idOf } from "#lib/billing/snapshot.ts";
import { newestOfMember } from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as dropOwnChange } from "../../../functions/subscriptions/drop-own-scheduled-change.ts";
import { handler as dropScheduledChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { aTier } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt, deadAfter } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
  return Object.assign(first, { big: await money.aPricedTier(first, { name: "Reserva", monthly_price_dollars: 25 }) });
});

const toBig = (member: StoredMember, over: object = {}) =>
  money.call(changeSubscription, { ...forMember(member), body: { tier_id: community.big.id }, ...over });

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", { expand: ["schedule"] });

const atStripe = (member: StoredMember, over: object) =>
  money.control(`subscriptions/${member.stripe_subscription_id}`, over);

describe("dropping a scheduled change", () => {
  it.each([
    ["the owner", (member: StoredMember) => money.call(dropScheduledChange, forMember(member))],
    [
      "the member",
      (member: StoredMember) =>
        money.call(dropOwnChange, { params: { community_id: community.id }, as: { id: member.user.id } }),
    ],
  ])("%s can drop a scheduled change, and the subscription then renews as before", async (_, drop) => {
    const member = await money.aSubscriber(community);
    await toBig(member);
    const { status, body } = await drop(member);
    expect({ status, body }).toMatchObject({ status: 200, body: { scheduled_change: null, price_cents: 1000 } });
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null });
    const { entries } = await newestOfMember(money.table, member.id, 1);
    expect(entries).toMatchObject([{ action: "change_canceled", actor: { type: "user" } }]);
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id, price_cents: 1000 });
    expect(await drop(member)).toMatchObject({ status: 404, body: { code: "not_found" } });
    await expectNothingOpen(money.table, member);
  });

  it("a cancellation drops the scheduled change, and its withdrawal does not bring it back", async () => {
    const member = await money.aSubscriber(community);
    await toBig(member);
    const { body } = await money.call(cancelSubscription, forMember(member));
    expect(body).toMatchObject({ scheduled_change: null, cancel_at_period_end: true, price_cents: null });
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null, cancel_at_period_end: true });
  });

  it("a withdrawal that crashed ends with the subscription, which keeps its canceled schedule", async () => {
    const member = await money.aSubscriber(community);
    await toBig(member);
    const dropped = await money.withFault(deadAfter(4), () => money.call(dropScheduledChange, forMember(member)));
    expect(dropped).toMatchObject({ status: 500 });
    const { schedule } = await subscriptionOf(member);
    await money.stripe.subscriptionSchedules.cancel(idOf(schedule) ?? "", { prorate: false, invoice_now: false });
    expect(await subscriptionOf(member)).toMatchObject({ status: "canceled", schedule: { status: "canceled" } });
    await money.reconcile(fromNow({ minutes: 10 }));
    await expectNothingOpen(money.table, member);
  });
});

describe("a subscription that cannot be changed", () => {
  const refused = (code: string, status = 409) => ({ status, body: { code } });

  it.each<[string, (member: StoredMember) => Promise<unknown>, object]>([
    ["a blocked member", (member) => money.call(block, forMember(member)), refused("member_blocked")],
    [
      "a scheduled cancellation",
      (member) => money.call(cancelSubscription, forMember(member)),
      refused("cancel_scheduled"),
    ],
    [
      "a discount of its item",
      async ({ stripe_subscription_id: id }) =>
        money.standIn.act((account) => {
          const own = [...account.rows("subscription")].find((each) => each.id === id);
          if (!own) throw new Error("The subscription is missing");
          const data = own.items.data.map((item) => ({ ...item, discounts: ["di_1"] }));
          account.put("subscription", { ...own, items: { ...own.items, data } });
        }),
      refused("subscription_not_managed"),
    ],
    ["a quantity", (member) => atStripe(member, { quantity: 2 }), refused("subscription_not_managed")],
    [
      "a subscription that ended",
      (member) => money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } }),
      refused("subscription_not_managed"),
    ],
    [
      "a cancellation that Odis has not seen",
      (member) =>
        money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end: true }),
      refused("cancel_scheduled"),
    ],
    [
      "an overdue payment",
      async () => {
        await money.control("faults", { decline: 100 });
        await money.control("advance", { days: 32 });
        await money.control("faults", { decline: 0 });
        await money.deliverAll();
      },
      refused("payment_overdue"),
    ],
    [
      "a schedule that Odis did not make",
      async ({ stripe_subscription_id: from_subscription }) => {
        const { id } = await money.stripe.subscriptionSchedules.create({ from_subscription: from_subscription ?? "" });
        await money.stripe.subscriptionSchedules.update(id, { metadata: { made_by: "somebody" } });
      },
      refused("subscription_not_managed"),
    ],
  ])("%s: the change is refused, and nothing changes at Stripe", async (_, given, expected) => {
    const member = await money.aSubscriber(community);
    await given(member);
    const before = await subscriptionOf(member);
    expect(await toBig(member)).toMatchObject(expected);
    expect(await subscriptionOf(member)).toEqual(before);
    await expectNothingOpen(money.table, member);
    await money.deliverAll();
  });

  it("a tier of another community, an archived tier and a missing yearly price are refused", async () => {
    const other = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    const change = (body: object) => money.call(changeSubscription, { ...forMember(member), body });
    expect(await change({ tier_id: other.tier.id })).toMatchObject(refused("unknown_tier", 422));
    expect(await change({ interval: "year" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/interval", code: "not_allowed" }] },
    });
    expect(await change({})).toMatchObject(refused("nothing_to_change"));
    const archived = await aTier(money.table, community.id, { status: "archived", position: 3 });
    expect(await change({ tier_id: archived.id })).toMatchObject(refused("unknown_tier", 422));
  });

  it("a member without a subscription in Stripe is refused", async () => {
    const imported = await money.importMember(community, {
      user: { id: (await money.aPerson()).id },
      status: "active",
      current_period_end: fromNow({ hours: 400 }).toISOString(),
    });
    const member = { community_id: community.id, id: imported?.id ?? 0 };
    expect(
      await money.call(changeSubscription, { ...forMember(member), body: { tier_id: community.big.id } }),
    ).toMatchObject(refused("subscription_not_managed"));
  });

  it("the sixth change within a day is refused", async () => {
    const member = await money.aSubscriber(community);
    for (let n = 0; n < 5; n++) {
      expect(await toBig(member)).toMatchObject({ status: 200 });
      await money.call(dropScheduledChange, forMember(member));
    }
    expect(await toBig(member)).toMatchObject(refused("too_many_changes"));
    const preview = { tier_id: community.big.id, dry_run: true };
    expect(await money.call(changeSubscription, { ...forMember(member), body: preview })).toMatchObject({
      status: 200,
    });
  });
});

it("a change that Stripe has refused does not count as one of the changes of a day", async () => {
  const member = await money.aSubscriber(community);
  for (let n = 0; n < 5; n++) {
    await money.control("faults", { refuse: { code: "unknown", path: "/v1/subscription_schedules" } });
    expect(await toBig(member)).toMatchObject({ status: 409, body: { code: "payment_processor_refused" } });
  }
  await money.control("faults", { refuse: null });
  expect(await toBig(member)).toMatchObject({ status: 200 });
});

describe("a change that is interrupted", () => {
  it("a repeated request with one key makes one change", async () => {
    const member = await money.aSubscriber(community);
    const first = await toBig(member, withKey(`change-${member.id}`));
    expect(await toBig(member, withKey(`change-${member.id}`))).toEqual(first);
    expect(
      (await money.stripe.subscriptionSchedules.list({ customer: member.stripe_customer_id ?? "" })).data,
    ).toHaveLength(1);
  });

  it.each(["before", "after"] as const)(
    "a change that crashes %s any one of its calls is completed by a retry or by the schedule",
    async (moment) => {
      for (let n = 1; ; n++) {
        const member = await money.aSubscriber(community);
        const key = withKey(`crash-${moment}-${n}`);
        const crash = crashAt(n, moment);
        const first = await money.withFault(crash.fault, () => toBig(member, key));
        const isOver = crash.calls < n;
        const isRepeated = n % 2 === 0;
        if (isOver) expect(first).toMatchObject({ status: 200 });
        if (isRepeated) {
          const again = await toBig(member, key);
          expect({ n, ...again }).toMatchObject({ n, status: 200, body: { status: "scheduled" } });
          expect(await toBig(member, key)).toEqual(again);
        }
        await money.reconcile(fromNow({ minutes: 10 }));
        const { scheduled_change } = await money.memberNow(member);
        const { schedule } = await subscriptionOf(member);
        const planned = typeof schedule === "object" ? schedule?.phases[1]?.items[0]?.price : undefined;
        expect({ n, planned }).toEqual({ n, planned: scheduled_change ? community.big.stripe_price_id : undefined });
        if (isOver || isRepeated) expect({ n, to: scheduled_change?.tier.id }).toEqual({ n, to: community.big.id });
        await expectNothingOpen(money.table, member);
        if (isOver) break;
      }
    },
  );

  it("two changes at the same time end with one of them", async () => {
    const member = await money.aSubscriber(community);
    const key = keys.chargeLock(member.stripe_subscription_id ?? "");
    await write(money.table, [{ put: { ...key, operation_id: "another" } }]);
    expect(await toBig(member)).toMatchObject({ status: 409, body: { code: "request_in_progress" } });
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null });
    await write(money.table, [{ delete: key }]);
  });
});
