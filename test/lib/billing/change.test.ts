import { describe, expect, it } from "vitest";
import { ownerTimingOf, ownTimingOf } from "#lib/domain/change.ts";
import { newestOfMember } from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as dropScheduledChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { aTier } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

/** A community with tiers of 10 dollars a month or 100 a year, of 25 a month, and a free one. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10, yearly_price_dollars: 100 } });
  const another = (name: string, monthly_price_dollars: number) =>
    money.aPricedTier(first, { name, monthly_price_dollars });
  return Object.assign(first, {
    big: await another("Reserva", 25),
    same: await another("Twin", 10),
    free: await another("Guest", 0),
  });
});

type Body = { tier_id?: number; interval?: string; dry_run?: boolean; preview_id?: string };
const change = (member: StoredMember, body: Body, over: object = {}) =>
  money.call(changeSubscription, { ...forMember(member), body, ...over });

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", { expand: ["schedule"] });

const paidBy = async (member: StoredMember): Promise<number[]> => {
  const { data } = await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" });
  return data.map(({ amount_paid }) => amount_paid).toReversed();
};

const price = (tier_id: number, interval: "month" | "year", cents: number) => ({ tier_id, interval, cents });

describe("when an owner's change takes effect", () => {
  const monthly = price(1, "month", 1000);
  it.each([
    ["a free tier", monthly, price(2, "month", 0), "at_period_end"],
    ["a paid tier, from a free one", price(1, "month", 0), price(2, "month", 1000), "at_period_end"],
    ["a year", monthly, price(1, "year", 10_000), "at_period_end"],
    ["a month", price(1, "year", 12_000), monthly, "at_period_end"],
    ["less per month", monthly, price(2, "month", 900), "at_period_end"],
    ["more per month", monthly, price(2, "month", 1100), "at_period_end"],
    ["the same amount", monthly, price(2, "month", 1000), "now"],
  ] as const)("an owner's change to %s charges nothing, and so takes effect %#", (_, from, to, when) => {
    expect(ownerTimingOf(from, to, false)).toEqual({ when, isCharged: false });
    expect(ownerTimingOf(from, to, true)).toEqual({ when: "now", isCharged: false });
  });

  it("there is nothing to change if the tier and interval stay, whatever their price", () => {
    for (const timingOf of [ownerTimingOf, ownTimingOf])
      expect(() => timingOf(monthly, price(1, "month", 900), false)).toThrow(
        expect.objectContaining({ code: "nothing_to_change" }),
      );
  });
});

describe("a change that costs something now", () => {
  it("an owner's change to a more expensive tier is made at the end of the period, and charges its price from then on", async () => {
    const member = await money.aSubscriber(community);
    const { status, body } = await change(member, { tier_id: community.big.id });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: "scheduled",
        when: "at_period_end",
        charged_now_cents: 0,
        credited_cents: 0,
        next_charge_cents: 2500,
        next_charge_at: member.current_period_end,
        preview_id: null,
        member: {
          membership_tier: { id: community.tier.id },
          scheduled_change: {
            tier: { id: community.big.id, name: "Reserva" },
            interval: "month",
            price_cents: 2500,
            at: member.current_period_end,
          },
          price_cents: 2500,
        },
      },
    });
    expect(await paidBy(member)).toEqual([1000]);
    await expectNothingOpen(money.table, member);
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      tier_id: community.big.id,
      scheduled_change: null,
      price_cents: 2500,
    });
    expect(await paidBy(member)).toEqual([1000, 2500]);
    const { entries } = await newestOfMember(money.table, member.id, 3);
    expect(entries.map(({ action, actor }) => [action, actor.type])).toEqual([
      ["tier_changed", "stripe"],
      ["change_scheduled", "user"],
      ["joined", "stripe"],
    ]);
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await paidBy(member)).toEqual([1000, 2500, 2500]);
  });

  it("a change of tier and interval is one change", async () => {
    const member = await money.aSubscriber({ ...community, tier: community.big });
    await change(member, { tier_id: community.tier.id, interval: "year" });
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      tier_id: community.tier.id,
      interval: "year",
      price_cents: 10_000,
    });
    expect(await paidBy(member)).toEqual([2500, 10_000]);
  });

  it("a second change replaces the scheduled one", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { tier_id: community.big.id });
    const { body } = await change(member, { interval: "year" });
    expect(body).toMatchObject({
      status: "scheduled",
      member: { scheduled_change: { tier: { id: community.tier.id }, interval: "year" } },
    });
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      tier_id: community.tier.id,
      interval: "year",
      scheduled_change: null,
    });
    expect(await paidBy(member)).toEqual([1000, 10_000]);
  });

  it("a discount stays", async () => {
    const member = await money.aSubscriber(community);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, {
      coupon: { percent_off: 10, duration: "forever" },
    });
    await money.deliverAll();
    const { body } = await change(member, { tier_id: community.big.id });
    expect(body).toMatchObject({ next_charge_cents: 2250 });
    await money.control("advance", { days: 32 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ price_cents: 2250 });
    expect(await paidBy(member)).toEqual([1000, 2250]);
  });
});

describe("a change that costs nothing", () => {
  it("a change to a tier of the same price is made now, and drops a scheduled change", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { tier_id: community.big.id });
    const { body } = await change(member, { tier_id: community.same.id });
    expect(body).toMatchObject({
      status: "changed",
      when: "now",
      member: { membership_tier: { id: community.same.id }, scheduled_change: null, price_cents: 1000 },
    });
    expect(await paidBy(member)).toEqual([1000]);
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null });
  });

  it("a change during a trial is made now, and the trial keeps its end", async () => {
    const tier = await aTier(money.table, community.id, { trial_days: 14, monthly_price_dollars: 5, position: 3 });
    const trial = await money.price({ ...community, tier });
    const member = await money.aSubscriber(trial);
    const { body } = await change(member, { tier_id: community.big.id });
    expect(body).toMatchObject({
      status: "changed",
      next_charge_cents: 2500,
      next_charge_at: member.trial_end,
      member: { status: "trialing", trial_end: member.trial_end, membership_tier: { id: community.big.id } },
    });
    expect(await paidBy(member)).toEqual([0]);
  });
});

describe("a preview", () => {
  const preview = async (member: StoredMember, body: Body): Promise<string> =>
    (await change(member, { ...body, dry_run: true })).body?.preview_id as string;

  it("a dry run changes nothing and says what the change would come to", async () => {
    const member = await money.aSubscriber(community);
    const { status, body } = await change(member, { tier_id: community.big.id, dry_run: true });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: "preview",
        when: "at_period_end",
        charged_now_cents: 0,
        next_charge_cents: 2500,
        next_charge_at: member.current_period_end,
        preview_id: expect.any(String),
        member: { scheduled_change: null, price_cents: 1000 },
      },
    });
    expect(await subscriptionOf(member)).toMatchObject({ schedule: null });
  });

  it("a preview can be confirmed once", async () => {
    const member = await money.aSubscriber(community);
    const wanted = { tier_id: community.big.id };
    const preview_id = await preview(member, wanted);
    expect(await change(member, { ...wanted, preview_id })).toMatchObject({
      status: 200,
      body: { status: "scheduled" },
    });
    await money.call(dropScheduledChange, forMember(member));
    expect(await change(member, { ...wanted, preview_id })).toMatchObject({
      status: 409,
      body: { code: "preview_expired" },
    });
  });

  it("a preview that is forged, of another member or of another body is refused", async () => {
    const [member, other] = [await money.aSubscriber(community), await money.aSubscriber(community)];
    const wanted = { tier_id: community.big.id };
    const preview_id = await preview(member, wanted);
    for (const [who, body] of [
      [member, { ...wanted, preview_id: `${preview_id}x` }],
      [member, { ...wanted, preview_id: "x" }],
      [other, { ...wanted, preview_id }],
      [member, { tier_id: community.same.id, preview_id }],
      [member, { ...wanted, interval: "month", preview_id }],
    ] as const)
      expect(await change(who, body)).toMatchObject({ status: 409, body: { code: "preview_expired" } });
  });

  it("a preview is refused after ten minutes, and if the tier has got another price", async () => {
    const member = await money.aSubscriber(community);
    const wanted = { tier_id: community.big.id };
    const preview_id = await preview(member, wanted);
    const later = money.platform({ now: () => new Date(Date.now() + 10 * 60_000 + 1000) });
    const body = { ...wanted, preview_id };
    expect(await money.call(changeSubscription, { ...forMember(member), body }, later)).toMatchObject({
      status: 409,
      body: { code: "preview_expired" },
    });
    const key = keys.tier(community.id, community.big.id);
    await write(money.table, [{ update: key, set: { monthly_price_dollars: 26 }, when: "exists" }]);
    expect(await change(member, body)).toMatchObject({ status: 409, body: { code: "preview_expired" } });
    await write(money.table, [{ update: key, set: { monthly_price_dollars: 25 }, when: "exists" }]);
  });
});
