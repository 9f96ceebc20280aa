import { describe, expect, it } from "vitest";
import { idOf } from "#lib/billing/snapshot.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as dropScheduledChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

/** A community with tiers of 10 dollars a month or 100 a year, of 25 a month, of 10 a month, and with a trial. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10, yearly_price_dollars: 100 } });
  const another = (over: object) => money.aPricedTier(first, over);
  return Object.assign(first, {
    big: await another({ monthly_price_dollars: 25, yearly_price_dollars: 250 }),
    same: await another({ monthly_price_dollars: 10 }),
    trial: await another({ monthly_price_dollars: 5, yearly_price_dollars: 50, trial_days: 14 }),
  });
});

const change = (member: StoredMember, body: object, over: object = {}) =>
  money.call(changeSubscription, { ...forMember(member), body, ...over });

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", { expand: ["schedule"] });

const paidBy = async (member: StoredMember): Promise<number[]> => {
  const { data } = await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" });
  return data.map(({ amount_paid }) => amount_paid).toReversed();
};

const releaseIn = async (member: StoredMember) => {
  const { schedule } = await subscriptionOf(member);
  await money.stripe.subscriptionSchedules.release(typeof schedule === "object" ? (schedule?.id ?? "") : "");
};

/** Stores the operation of a change, and crashes before anything is sent to Stripe. */
async function beginOnly(member: StoredMember, body: object, key: string) {
  for (let n = 1; n < 60; n++) {
    await money.withFault(crashAt(n, "before").fault, () => change(member, body, withKey(key)));
    const { items } = await money.table.query({ pk: "OPERATIONS" });
    if (items.some(({ member_id }) => member_id === member.id)) return;
  }
}

describe("a change that waits", () => {
  it("a change that was free during a trial is refused after it, and charges nothing", async () => {
    const member = await money.aSubscriber({ ...community, tier: community.trial });
    await beginOnly(member, { interval: "year" }, `trial-${member.id}`);
    await money.control("advance", { days: 15 });
    const paid = await paidBy(member);
    await money.deliverAll();
    expect(await change(member, { interval: "year" }, withKey(`trial-${member.id}`))).toMatchObject({
      body: { code: "preview_expired" },
    });
    await money.reconcile(fromNow({ minutes: 10 }));
    expect(await paidBy(member)).toEqual(paid);
    expect(await money.memberNow(member)).toMatchObject({ interval: "month", tier_id: community.trial.id });
    await expectNothingOpen(money.table, member);
  });

  it("a change to another interval during a trial charges nothing, and the trial keeps its end", async () => {
    const member = await money.aSubscriber({ ...community, tier: community.trial });
    const { body } = await change(member, { interval: "year" });
    expect(body).toMatchObject({
      status: "changed",
      next_charge_cents: 5000,
      next_charge_at: member.trial_end,
      member: { status: "trialing", trial_end: member.trial_end, interval: "year" },
    });
    expect((await paidBy(member)).filter((cents) => cents > 0)).toEqual([]);
  });

  it("a change that waits is closed, and its lock released, if the customer is deleted in Stripe", async () => {
    const member = await money.aSubscriber(community);
    await beginOnly(member, { tier_id: community.big.id }, `deleted-${member.id}`);
    await money.stripe.customers.del(member.stripe_customer_id ?? "");
    await money.reconcile(fromNow({ minutes: 10 }));
    await money.deliverAll();
    await expectNothingOpen(money.table, member);
    const lock = keys.chargeLock(member.stripe_subscription_id ?? "");
    expect(await money.table.get(lock)).toBeUndefined();
  });

  it("a change that was dropped in Stripe before it was recorded is not made again", async () => {
    const member = await money.aSubscriber(community);
    const scheduled = async () => (await subscriptionOf(member)).schedule !== null;
    for (let n = 1; n < 60; n++) {
      await money.withFault(crashAt(n, "before").fault, () =>
        change(member, { tier_id: community.big.id }, withKey(`gone-${member.id}`)),
      );
      const { schedule } = await subscriptionOf(member);
      if (typeof schedule === "object" && schedule?.metadata?.operation_id) break;
    }
    await releaseIn(member);
    await money.deliverAll();
    await money.reconcile(fromNow({ minutes: 10 }));
    expect(await scheduled()).toBe(false);
    expect(await money.memberNow(member)).toMatchObject({ scheduled_change: null });
    await expectNothingOpen(money.table, member);
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({ status: 200 });
    expect(await scheduled()).toBe(true);
  });

  it("a retry of a change that was dropped in Stripe before it was recorded says so", async () => {
    const member = await money.aSubscriber(community);
    const key = withKey(`undone-${member.id}`);
    for (let n = 1; n < 60; n++) {
      await money.withFault(crashAt(n, "before").fault, () => change(member, { tier_id: community.big.id }, key));
      const { schedule } = await subscriptionOf(member);
      if (typeof schedule === "object" && schedule?.metadata?.operation_id) break;
    }
    await releaseIn(member);
    const later = money.platform({ now: () => fromNow({ minutes: 5 }) });
    const { status, body } = await money.call(
      changeSubscription,
      { ...forMember(member), body: { tier_id: community.big.id }, ...key },
      later,
    );
    expect({ status, body }).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
    await expectNothingOpen(money.table, member);
  });

  it("a schedule that somebody made in the meantime stays", async () => {
    const member = await money.aSubscriber(community);
    await beginOnly(member, { tier_id: community.big.id }, `foreign-${member.id}`);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, {
      schedule: { phases: [{ price: community.same.stripe_price_id, starts_in_days: 20 }] },
    });
    const before = await subscriptionOf(member);
    await money.reconcile(fromNow({ minutes: 10 }));
    expect(await subscriptionOf(member)).toEqual(before);
    await expectNothingOpen(money.table, member);
    await money.deliverAll();
  });

  it("a retry of a change that a cancellation has overtaken does not say that it was made", async () => {
    const member = await money.aSubscriber(community);
    const key = `overtaken-${member.id}`;
    await beginOnly(member, { tier_id: community.big.id }, key);
    await money.call(cancelSubscription, forMember(member));
    await expectNothingOpen(money.table, member);
    const later = money.platform({ now: () => fromNow({ minutes: 5 }) });
    const again = () =>
      money.call(
        changeSubscription,
        { ...forMember(member), body: { tier_id: community.big.id }, ...withKey(key) },
        later,
      );
    expect((await again()).status).toBeGreaterThanOrEqual(400);
    await money.call(uncancelSubscription, forMember(member));
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null });
  });

  it.each(["is paid", "is overdue"])(
    "a retry with the key of a scheduled change that was dropped since still says that it was scheduled, if the period %s",
    async (period) => {
      const member = await money.aSubscriber(community);
      const key = withKey(`scheduled-${member.id}`);
      const calls = crashAt(Number.POSITIVE_INFINITY, "before");
      const other = await money.aSubscriber(community);
      await money.withFault(calls.fault, () => change(other, { tier_id: community.big.id }, withKey(`n-${other.id}`)));
      // The last call stores the answer.
      const lost = crashAt(calls.calls, "before");
      await money.withFault(lost.fault, () => change(member, { tier_id: community.big.id }, key));
      await money.call(dropScheduledChange, forMember(member));
      if (period === "is overdue") {
        await money.control("faults", { decline: 100 });
        await money.control("advance", { days: 32 });
        await money.control("faults", { decline: 0 });
        await money.deliverAll();
        expect(await money.memberNow(member)).toMatchObject({ status: "past_due" });
      }
      const later = money.platform({ now: () => fromNow({ minutes: 5 }) });
      const { status, body } = await money.call(
        changeSubscription,
        { ...forMember(member), body: { tier_id: community.big.id }, ...key },
        later,
      );
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { status: "scheduled", when: "at_period_end", member: { scheduled_change: null } },
      });
    },
  );
});

describe("what a change leaves out", () => {
  it("the interval stays that of the subscription, also if the record does not know it", async () => {
    const member = await money.aSubscriber(community, "year");
    await write(money.table, [
      { update: keys.member(member.community_id, member.id), set: { interval: null }, when: "exists" },
    ]);
    const { body } = await change(member, { tier_id: community.big.id });
    expect(body).toMatchObject({ next_charge_cents: 25_000, member: { scheduled_change: { interval: "year" } } });
  });

  it("the tier stays that of the subscription, also if the record is older", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", {
      items: [
        {
          id: (await subscriptionOf(member)).items.data[0]?.id ?? "",
          price: community.big.stripe_price_id ?? "",
        },
      ],
      proration_behavior: "none",
    });
    const { body } = await change(member, { interval: "year" });
    expect(body).toMatchObject({ member: { scheduled_change: { tier: { id: community.big.id }, interval: "year" } } });
    await money.deliverAll();
  });
});

describe("a schedule whose second phase is running", () => {
  it("the next change, the drop of it and a cancellation work", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { interval: "year" });
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    const yearly = await money.memberNow(member);
    expect(yearly).toMatchObject({ interval: "year", scheduled_change: null });
    expect(await change(member, { interval: "month", tier_id: community.big.id })).toMatchObject({
      status: 200,
      body: {
        next_charge_cents: 2500,
        next_charge_at: yearly.current_period_end,
        member: { scheduled_change: { at: yearly.current_period_end, interval: "month", price_cents: 2500 } },
      },
    });
    expect(await paidBy(member)).toEqual([1000, 10_000]);
    expect(await money.call(dropScheduledChange, forMember(member))).toMatchObject({ status: 200 });
    expect(await change(member, { interval: "month" })).toMatchObject({ status: 200 });
    expect(await money.call(cancelSubscription, forMember(member))).toMatchObject({
      body: { cancel_at_period_end: true, scheduled_change: null },
    });
    expect(await subscriptionOf(member)).toMatchObject({ cancel_at_period_end: true, schedule: null });
    await expectNothingOpen(money.table, member);
  });
});

describe("a schedule of one phase", () => {
  it("a longer phase that somebody planned is not taken for the rest of a crash", async () => {
    const member = await money.aSubscriber(community);
    const { id, current_phase, phases } = await money.stripe.subscriptionSchedules.create({
      from_subscription: member.stripe_subscription_id ?? "",
    });
    await money.stripe.subscriptionSchedules.update(id, {
      phases: [
        {
          items: [{ price: idOf(phases[0]?.items[0]?.price) ?? "", quantity: 1 }],
          start_date: current_phase?.start_date ?? 0,
          duration: { interval: "month", interval_count: 12 },
        },
      ],
    });
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({
      status: 409,
      body: { code: "subscription_not_managed" },
    });
    await money.deliverAll();
  });
});

describe("crashes", () => {
  it.each(["before", "after"] as const)("a drop that crashes %s any one of its calls is completed", async (moment) => {
    for (let n = 1; n < 60; n++) {
      const member = await money.aSubscriber(community);
      await change(member, { tier_id: community.big.id });
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, () => money.call(dropScheduledChange, forMember(member)));
      await money.reconcile(fromNow({ minutes: 10 }));
      await expectNothingOpen(money.table, member);
      const { schedule } = await subscriptionOf(member);
      const { scheduled_change } = await money.memberNow(member);
      expect({ n, isKept: schedule !== null }).toEqual({ n, isKept: scheduled_change !== null });
      if (crash.calls < n) break;
    }
  });

  it.each(["before", "after"] as const)(
    "a change at once that crashes %s any one of its calls is completed",
    async (moment) => {
      for (let n = 1; n < 60; n++) {
        const member = await money.aSubscriber(community);
        await change(member, { tier_id: community.big.id });
        const crash = crashAt(n, moment);
        const key = withKey(`now-${moment}-${n}`);
        await money.withFault(crash.fault, () => change(member, { tier_id: community.same.id }, key));
        const again = n % 2 === 0;
        if (again)
          expect({ n, ...(await change(member, { tier_id: community.same.id }, key)) }).toMatchObject({
            n,
            status: 200,
            body: { status: "changed", member: { membership_tier: { id: community.same.id }, scheduled_change: null } },
          });
        await money.reconcile(fromNow({ minutes: 10 }));
        await expectNothingOpen(money.table, member);
        expect(await paidBy(member)).toEqual([1000]);
        if (crash.calls < n) break;
      }
    },
  );
});
