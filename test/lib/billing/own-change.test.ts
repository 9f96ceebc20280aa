import { describe, expect, it } from "vitest";
import { ownTimingOf } from "#lib/domain/change.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as cancelOwn } from "../../../functions/membership/cancel-subscription.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { aTier } from "../../support/given.ts";
import { expectExact, expectNothingOpen } from "../../support/money/checks.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

/** A community with tiers of 10 dollars a month or 100 a year, of 25 or 240, of 5 a month, and two free ones. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10, yearly_price_dollars: 100 } });
  const another = (over: object) => money.aPricedTier(first, over);
  return Object.assign(first, {
    big: await another({ name: "Reserva", monthly_price_dollars: 25, yearly_price_dollars: 240 }),
    small: await another({ name: "Copita", monthly_price_dollars: 5 }),
    free: await another({ name: "Guest", monthly_price_dollars: 0 }),
    otherFree: await another({ name: "Friend", monthly_price_dollars: 0 }),
  });
});

type Body = { tier_id?: number; interval?: string; dry_run?: boolean; preview_id?: string; return_url?: string };

const day = 86_400;
const stripesNow = (): number => money.standIn.act((account) => account.now());
/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now: () => new Date(1000 * stripesNow()) });

const change = (member: StoredMember, body: Body, over: object = {}) =>
  money.call(changeOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body, ...over }, moved());

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", { expand: ["schedule"] });

const invoicesOf = async (member: StoredMember) =>
  (await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" })).data.toReversed();

const paidBy = async (member: StoredMember): Promise<number[]> =>
  (await invoicesOf(member)).map(({ amount_paid }) => amount_paid);

const pay = (url: unknown, card = "paid") =>
  fetch(String(url), { method: "POST", body: new URLSearchParams({ card }) });

/** A member after ten days, and the share of the period that is left. */
async function afterTenDays(interval?: "month" | "year") {
  const member = await money.aSubscriber(community, interval);
  await money.control("advance", { days: 10 });
  const [item] = (await subscriptionOf(member)).items.data;
  const { current_period_start: start = 0, current_period_end: end = 0 } = item ?? {};
  return { member, left: (end - stripesNow()) / (end - start) };
}

const declineOnce = () => money.control("faults", { decline: 1 });

describe("when a member's own change takes effect, and whether it is charged", () => {
  const price = (tier_id: number, interval: "month" | "year", cents: number) => ({ tier_id, interval, cents });
  const monthly = price(1, "month", 1000);
  it.each([
    ["from a paid to a free tier", monthly, price(2, "month", 0), "at_period_end", false],
    ["from a yearly to a free tier", price(1, "year", 10_000), price(2, "month", 0), "at_period_end", false],
    ["from a free to a paid tier", price(2, "month", 0), monthly, "now", true],
    ["from a free to a yearly tier", price(2, "month", 0), price(1, "year", 10_000), "now", true],
    ["from a free to another free tier", price(2, "month", 0), price(3, "month", 0), "now", false],
    ["from month to year", monthly, price(1, "year", 10_000), "now", true],
    ["from month to the year of a smaller tier", monthly, price(2, "year", 1200), "now", true],
    ["from year to month", price(1, "year", 10_000), monthly, "at_period_end", false],
    [
      "from year to the month of a bigger tier",
      price(1, "year", 10_000),
      price(2, "month", 2500),
      "at_period_end",
      false,
    ],
    ["to less a month", monthly, price(2, "month", 900), "at_period_end", false],
    ["to less a year", price(1, "year", 10_000), price(2, "year", 9000), "at_period_end", false],
    ["to the same amount", monthly, price(2, "month", 1000), "now", false],
    ["to more a month", monthly, price(2, "month", 1100), "now", true],
    ["to more a year", price(1, "year", 10_000), price(2, "year", 10_001), "now", true],
  ] as const)("a change %s", (_, from, to, when, isCharged) => {
    expect(ownTimingOf(from, to, false)).toEqual({ when, isCharged });
    expect(ownTimingOf(from, to, true)).toEqual({ when: "now", isCharged: false });
  });
});

describe("a change that costs more", () => {
  it("the difference for the rest of the period is charged now, as it was previewed", async () => {
    const { member, left } = await afterTenDays();
    const [credit, debit] = [Math.round(1000 * left), Math.round(2500 * left)];
    const wanted = { tier_id: community.big.id };
    const preview = await change(member, { ...wanted, dry_run: true });
    expect(preview).toMatchObject({
      status: 200,
      body: {
        status: "preview",
        when: "now",
        charged_now_cents: debit - credit,
        credited_cents: credit,
        next_charge_cents: 2500,
        next_charge_at: member.current_period_end,
        url: null,
        expires_at: null,
        membership: { tier: { id: community.tier.id } },
      },
    });
    expect(await paidBy(member)).toEqual([1000]);

    // Exactly what was previewed is charged, also minutes later.
    await money.control("advance", { days: 5 / 24 / 60 });
    const { preview_id } = preview.body ?? {};
    expect(await change(member, { ...wanted, preview_id: String(preview_id) })).toMatchObject({
      status: 200,
      body: {
        status: "changed",
        charged_now_cents: debit - credit,
        credited_cents: credit,
        next_charge_cents: 2500,
        preview_id: null,
        membership: { tier: { id: community.big.id }, price_cents: 2500, scheduled_change: null },
      },
    });
    expect(await paidBy(member)).toEqual([1000, debit - credit]);
    await money.deliverAll();
    await expectExact(money, member);
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.big.id, status: "active" });
    await expectNothingOpen(money.table, member);
  });

  it.each(["kept", "reset"])(
    "a year begins now, less what is left of the month (billing_date: %s)",
    async (setting) => {
      await money.control("faults", { billing_date: setting });
      const { member, left } = await afterTenDays();
      const credit = Math.round(1000 * left);
      const { body } = await change(member, { interval: "year" });
      const [item] = (await subscriptionOf(member)).items.data;
      const { current_period_start: start = 0, current_period_end: end = 0 } = item ?? {};
      expect([365, 366]).toContain((end - start) / day);
      expect(body).toMatchObject({
        status: "changed",
        charged_now_cents: 10_000 - credit,
        credited_cents: credit,
        next_charge_cents: 10_000,
        next_charge_at: new Date(1000 * end).toISOString(),
        membership: { interval: "year", price_cents: 10_000 },
      });
      expect(await paidBy(member)).toEqual([1000, 10_000 - credit]);
      await money.control("faults", { billing_date: "kept" });
    },
  );

  it("a discount from Stripe stays, and counts in what is charged", async () => {
    const member = await money.aSubscriber(community);
    const coupon = { percent_off: 50, duration: "forever" };
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { coupon });
    await money.control("advance", { days: 10 });
    const { body } = await change(member, { interval: "year" });
    expect(body).toMatchObject({ status: "changed", next_charge_cents: 5000, membership: { price_cents: 5000 } });
    const [, second] = await paidBy(member);
    expect(body?.charged_now_cents).toBe(second);
    expect(second).toBeLessThan(5000);
  });

  it("during a trial nothing is charged, and the trial keeps its end", async () => {
    const trial = await money.price({
      ...community,
      tier: await aTier(money.table, community.id, { monthly_price_dollars: 5, trial_days: 14, position: 3 }),
    });
    const member = await money.aSubscriber({ ...community, tier: trial.tier });
    const { trial_end } = member;
    expect((await change(member, { tier_id: community.big.id })).body).toMatchObject({
      status: "changed",
      charged_now_cents: 0,
    });
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.big.id, status: "trialing", trial_end });
  });

  it("during a trial of a free tier, a change to a paid tier needs a card", async () => {
    const { sessions } = money.stripe.checkout;
    const opened = await money.openCheckout({ ...community, tier: community.free }, await money.aPerson());
    const { metadata, customer } = await sessions.retrieve(String(opened.body?.id));
    const { url } = await sessions.create({
      mode: "subscription",
      customer: customer as string,
      line_items: [{ price: String(community.free.stripe_price_id), quantity: 1 }],
      success_url: "https://app.example/yes",
      payment_method_collection: "if_required",
      metadata: metadata ?? {},
      subscription_data: { trial_period_days: 14, metadata: metadata ?? {} },
    });
    await money.complete(url);
    await money.deliverAll();
    const member = await members.find(money.table, community.id, Number(metadata?.member_id));
    if (!member) throw new Error("There is no member after a checkout");
    const id = String(member.stripe_subscription_id);
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({
      status: 409,
      body: { code: "payment_processor_refused", processor_code: "resource_missing" },
    });
    const payment_method = "pm_card_visa";
    const card = await money.stripe.paymentMethods.attach(payment_method, {
      customer: String(member.stripe_customer_id),
    });
    await money.stripe.subscriptions.update(id, { default_payment_method: card.id });
    expect((await change(member, { tier_id: community.big.id })).status).toBe(200);
  });
});

describe("a change that costs less", () => {
  it.each<[string, () => Body]>([
    ["a smaller tier", () => ({ tier_id: community.small.id })],
    ["a free tier", () => ({ tier_id: community.free.id })],
  ])("%s is scheduled for the end of the period, and charges nothing", async (_, body) => {
    const member = await money.aSubscriber(community);
    const answer = await change(member, body());
    expect(answer.body).toMatchObject({ status: "scheduled", when: "at_period_end", charged_now_cents: 0 });
    expect(answer.body?.membership).toMatchObject({ scheduled_change: { tier: { id: body().tier_id } } });
    expect(await paidBy(member)).toEqual([1000]);
  });

  it("a bigger tier now drops the smaller one that was scheduled", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { tier_id: community.small.id });
    const { body } = await change(member, { tier_id: community.big.id });
    expect(body).toMatchObject({ status: "changed", membership: { scheduled_change: null, price_cents: 2500 } });
    expect((await subscriptionOf(member)).schedule).toBeNull();
  });
});

describe("a charge that fails", () => {
  it("nothing changes until the invoice is paid, and the card that pays it is charged from then on", async () => {
    const { member } = await afterTenDays();
    await declineOnce();
    const before = stripesNow();
    const { status, body } = await change(member, { tier_id: community.big.id });
    const begunAt = Date.parse(String(body?.expires_at)) / 1000 - 23 * 3600;
    expect(begunAt).toBeGreaterThanOrEqual(before);
    expect(begunAt).toBeLessThanOrEqual(stripesNow());
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: "payment_required",
        when: "now",
        membership: { tier: { id: community.tier.id }, status: "active", price_cents: 1000 },
      },
    });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id, status: "active" });
    await expectNothingOpen(money.table, member);

    await pay(body?.url);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.big.id, price_cents: 2500 });
    expect((await paidBy(member))[1]).toBe(body?.charged_now_cents);
    expect((await subscriptionOf(member)).payment_settings).toMatchObject({
      save_default_payment_method: "on_subscription",
    });
    await expectExact(money, member);
  });

  it("a change that is not paid within 23 hours is never made, and its invoice is void", async () => {
    const { member } = await afterTenDays();
    await declineOnce();
    const key = withKey("unpaid");
    await change(member, { tier_id: community.big.id }, key);
    await money.control("advance", { days: 1 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id, status: "active" });
    expect((await invoicesOf(member)).map(({ status }) => status)).toEqual(["paid", "void"]);
  });

  it("another change replaces the one that waits for its payment", async () => {
    const { member } = await afterTenDays();
    await declineOnce();
    await change(member, { tier_id: community.big.id });
    expect((await change(member, { tier_id: community.small.id })).body).toMatchObject({ status: "scheduled" });
    expect((await invoicesOf(member)).map(({ status }) => status)).toEqual(["paid", "void"]);
    expect((await subscriptionOf(member)).pending_update).toBeNull();
  });

  it("a second attempt at the same change voids the first invoice, and is charged once", async () => {
    const { member } = await afterTenDays();
    await declineOnce();
    const first = await change(member, { tier_id: community.big.id });
    expect(first.body?.status).toBe("payment_required");
    expect((await change(member, { tier_id: community.big.id })).body?.status).toBe("changed");
    const statuses = (await invoicesOf(member)).map(({ status }) => status);
    expect(statuses).toEqual(["paid", "void", "paid"]);
    await pay(first.body?.url);
    expect(await paidBy(member)).toHaveLength(3);
    expect((await paidBy(member)).filter((cents) => cents > 0)).toHaveLength(2);
  });

  it.each([
    ["at_period_end", "kept"],
    ["at_period_end", "expired"],
    ["immediately", "kept"],
  ])("a cancellation (%s) drops the change that waits for its payment (%s)", async (mode, setting) => {
    await money.control("faults", { canceled_pending_update: setting });
    const { member } = await afterTenDays();
    await declineOnce();
    const { body } = await change(member, { tier_id: community.big.id });
    const own = { params: { community_id: community.id }, as: { id: member.user.id } };
    expect(await money.call(cancelOwn, { ...own, body: { mode } })).toMatchObject({ status: 200 });
    await pay(body?.url);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id });
    expect((await invoicesOf(member)).map(({ status }) => status)).toEqual(["paid", "void"]);
    await expectNothingOpen(money.table, member);
    await money.control("faults", { canceled_pending_update: "kept" });
  });

  it("an owner's change drops the one that waits for its payment", async () => {
    const { member } = await afterTenDays();
    await declineOnce();
    const { body } = await change(member, { tier_id: community.big.id });
    const owners = { ...forMember(member), body: { tier_id: community.small.id } };
    expect((await money.call(changeSubscription, owners, moved())).body).toMatchObject({ status: "scheduled" });
    await pay(body?.url);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      tier_id: community.tier.id,
      scheduled_change: { tier: { id: community.small.id } },
    });
  });
});

describe("a member of a paid tier without a card", () => {
  it("is told to add one, and nothing changes at Stripe, not even what was scheduled", async () => {
    const member = await money.aSubscriber(community);
    await change(member, { tier_id: community.small.id });
    money.standIn.act((account) => {
      const subscription = account.get("subscription", member.stripe_subscription_id);
      const customer = account.get("customer", member.stripe_customer_id);
      if (!subscription || !customer || customer.deleted) throw new Error("There is no subscription");
      account.put("subscription", { ...subscription, default_payment_method: null });
      const { invoice_settings } = customer;
      account.put("customer", { ...customer, invoice_settings: { ...invoice_settings, default_payment_method: null } });
    });
    const before = await subscriptionOf(member);
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({
      status: 409,
      body: { code: "payment_processor_refused", processor_code: "resource_missing" },
    });
    expect(await subscriptionOf(member)).toEqual(before);
    await expectNothingOpen(money.table, member);
  });
});

describe("the preview of a charge", () => {
  it("a preview is for its own kind of change, member and body, and works once", async () => {
    const { member } = await afterTenDays();
    const wanted = { tier_id: community.big.id };
    const owners = await money.call(changeSubscription, { ...forMember(member), body: { ...wanted, dry_run: true } });
    const expired = { status: 409, body: { code: "preview_expired" } };
    expect(await change(member, { ...wanted, preview_id: String(owners.body?.preview_id) })).toMatchObject(expired);
    const preview_id = String((await change(member, { ...wanted, dry_run: true })).body?.preview_id);
    expect(await change(member, { interval: "year", preview_id })).toMatchObject(expired);
    expect(await change(member, { ...wanted, preview_id })).toMatchObject({ status: 200 });
    const back = { tier_id: community.tier.id };
    expect(await change(member, { ...back, preview_id })).toMatchObject(expired);
  });

  it("a preview has expired after ten minutes, after a change in Stripe, and once a new period has begun", async () => {
    const { member } = await afterTenDays();
    const wanted = { tier_id: community.big.id };
    const expired = { status: 409, body: { code: "preview_expired" } };
    const preview = async () => String((await change(member, { ...wanted, dry_run: true })).body?.preview_id);
    const old = await preview();
    await money.control("advance", { days: 11 / 24 / 60 });
    expect(await change(member, { ...wanted, preview_id: old })).toMatchObject(expired);
    const otherwise = await preview();
    const coupon = { percent_off: 10, duration: "forever" };
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { coupon });
    expect(await change(member, { ...wanted, preview_id: otherwise })).toMatchObject(expired);
    const [item] = (await subscriptionOf(member)).items.data;
    await money.control("advance", { days: ((item?.current_period_end ?? 0) - 60 - stripesNow()) / day });
    const late = await preview();
    await money.control("advance", { days: 2 / 24 / 60 });
    expect(await change(member, { ...wanted, preview_id: late })).toMatchObject(expired);
    await expectNothingOpen(money.table, member);
  });
});
