import { describe, expect, it } from "vitest";
import { isPendingChange } from "#lib/billing/facts.ts";
import { idOf } from "#lib/billing/snapshot.ts";
import { type Billing, billingOf, type OpenBilling } from "#lib/billing/stripe.ts";
import type { Tier } from "#lib/domain/tier.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelOwn } from "../../../functions/membership/cancel-subscription.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { aTier } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

/** A community with tiers of 10 dollars a month or 100 a year, and of 25 or 240. */
const community = setUp(async () => {
  const first = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10, yearly_price_dollars: 100 } });
  const tier = await aTier(money.table, first.id, {
    position: 2,
    name: "Reserva",
    monthly_price_dollars: 25,
    yearly_price_dollars: 240,
  });
  return Object.assign(first, { big: (await money.price({ ...first, tier })).tier });
});

const stripesNow = (): number => money.standIn.act((account) => account.now());
/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now: () => new Date(1000 * stripesNow()) });

const change = (member: StoredMember, body: object, over: object = {}) =>
  money.call(changeOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body, ...over }, moved());

const invoicesOf = async (member: StoredMember) =>
  (await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" })).data.toReversed();

const scheduleOf = async ({ stripe_subscription_id: id }: StoredMember) =>
  (await money.stripe.subscriptions.retrieve(id ?? "")).schedule;

const paidBy = async (member: StoredMember): Promise<number[]> =>
  (await invoicesOf(member)).map(({ amount_paid }) => amount_paid);

const decline = (n: number) => money.control("faults", { decline: n });

const pay = (url: string) => fetch(url, { method: "POST", body: new URLSearchParams({ card: "paid" }) });

async function afterADay() {
  const member = await money.aSubscriber(community);
  await money.control("advance", { days: 1 });
  return member;
}

const toBig = () => ({ tier_id: community.big.id });

describe("a change that waits for its payment", () => {
  async function withWaiting() {
    const member = await afterADay();
    await decline(1);
    const { body } = await change(member, toBig());
    expect(body?.status).toBe("payment_required");
    return { member, url: String(body?.url), cents: body?.charged_now_cents };
  }

  it("is not credited to the change that replaces it, whose response says what was charged", async () => {
    const { member, cents } = await withWaiting();
    expect((await change(member, toBig())).body).toMatchObject({ status: "changed", charged_now_cents: cents });
    expect(await paidBy(member)).toEqual([1000, 0, cents]);
  });

  it("and has used credit makes the preview of another charge expire, and nothing is charged", async () => {
    const member = await afterADay();
    const credit = { amount: -300, currency: "usd" };
    await money.stripe.customers.createBalanceTransaction(member.stripe_customer_id ?? "", credit);
    await decline(1);
    const { body } = await change(member, toBig());
    const { preview_id } = (await change(member, { ...toBig(), dry_run: true })).body ?? {};
    const key = withKey("used credit");
    expect(await change(member, { ...toBig(), preview_id }, key)).toMatchObject({ status: 503 });
    expect(await change(member, { ...toBig(), preview_id }, key)).toMatchObject({
      status: 409,
      body: { code: "preview_expired" },
    });
    expect(await paidBy(member)).toEqual([1000, 0]);
    await expectNothingOpen(money.table, member);
    const next = await change(member, { ...toBig(), dry_run: true });
    expect(next.body?.charged_now_cents).toBe(body?.charged_now_cents);
    const confirmed = { ...toBig(), preview_id: next.body?.preview_id };
    expect((await change(member, confirmed)).body?.status).toBe("changed");
    expect(await paidBy(member)).toEqual([1000, 0, body?.charged_now_cents]);
  });

  it("does not change the answer to a retry of the charge before it", async () => {
    const told: { readonly n: number; readonly charged: unknown; readonly previewed: unknown }[] = [];
    for (let n = 1; ; n++) {
      const member = await afterADay();
      const previewed = (await change(member, { ...toBig(), dry_run: true })).body?.charged_now_cents;
      const key = withKey(`first-${n}`);
      const crash = crashAt(n, "after");
      await money.withFault(crash.fault, () => change(member, toBig(), key));
      if (crash.calls < n) break;
      await money.reconcile(fromNow({ minutes: 20 }));
      await money.deliverAll();
      await decline(1);
      const other = await change(member, { interval: "year" });
      await decline(0);
      const { body } = await change(member, toBig(), key);
      if (other.body?.status === "payment_required" && body?.status === "changed")
        told.push({ n, charged: body.charged_now_cents, previewed });
    }
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ charged, previewed }) => charged !== previewed)).toEqual([]);
  });

  it("is no failed renewal, whichever of its subscription and its invoice was read first", async () => {
    const member = await money.aSubscriber(community);
    const subscriptions = () => money.subscriptionsOf(member.stripe_customer_id);
    const earlier = await subscriptions();
    await decline(1);
    const { body } = await change(member, toBig());
    const invoices = await invoicesOf(member);
    const ledger = await ledgerOf(money.table, member.id);
    await pay(String(body?.url));
    for (const read of [earlier, await subscriptions()]) {
      const isChange = isPendingChange({ invoices, subscriptions: read }, ledger);
      expect(invoices.map(({ id, status }) => ({ status, isChange: isChange(id) }))).toEqual([
        { status: "paid", isChange: false },
        { status: "open", isChange: true },
      ]);
    }
  });

  it("is dropped if the person is blocked", async () => {
    const { member, url } = await withWaiting();
    expect(await money.call(block, forMember(member))).toMatchObject({ status: 200 });
    await pay(url);
    expect(await paidBy(member)).toEqual([1000, 0]);
  });

  it.each(["before", "after"] as const)(
    "cannot be paid after a block that crashes %s any of its calls, once the schedule has run",
    async (moment) => {
      for (let n = 1; ; n++) {
        const { member, url, cents } = await withWaiting();
        const crash = crashAt(n, moment);
        await money.withFault(crash.fault, () => money.call(block, forMember(member)));
        const { is_blocked } = await money.memberNow(member);
        await money.reconcile(fromNow({ minutes: 20 }));
        await pay(url);
        expect({ n, paid: await paidBy(member) }).toEqual({ n, paid: [1000, is_blocked ? 0 : cents] });
        if (crash.calls < n) break;
      }
    },
  );

  it.each(["before", "after"] as const)(
    "cannot be paid after an immediate cancellation that crashes %s any of its calls",
    async (moment) => {
      await money.control("faults", { ended_pending_invoice: "open" });
      for (let n = 1; ; n++) {
        const { member, url } = await withWaiting();
        const crash = crashAt(n, moment);
        const own = {
          params: { community_id: community.id },
          as: { id: member.user.id },
          body: { mode: "immediately" },
        };
        await money.withFault(crash.fault, () => money.call(cancelOwn, own));
        await money.reconcile(fromNow({ minutes: 10 }));
        if ((await money.memberNow(member)).status === "canceled") {
          await pay(url);
          expect({ n, paid: await paidBy(member) }).toEqual({ n, paid: [1000, 0] });
        }
        if (crash.calls < n) break;
      }
      await money.control("faults", { ended_pending_invoice: "void" });
    },
  );
});

it("a retry of a refused change charges what was previewed, or nothing", async () => {
  const member = await afterADay();
  const key = withKey("refused");
  const { preview_id } = (await change(member, { ...toBig(), dry_run: true })).body ?? {};
  await money.control("refuse", { code: "lock_timeout", path: "/v1/subscriptions/" });
  const confirmed = { ...toBig(), preview_id };
  expect(await change(member, confirmed, key)).toMatchObject({ status: 409 });
  const coupon = { amount_off: 1000, duration: "forever" };
  await money.control(`subscriptions/${member.stripe_subscription_id}`, { coupon });
  expect(await change(member, confirmed, key)).toMatchObject({ status: 409, body: { code: "preview_expired" } });
  expect(await paidBy(member)).toEqual([1000]);
});

it("a retry of a refused change without a preview charges the amount of its first attempt", async () => {
  const member = await afterADay();
  const key = withKey("refused without a preview");
  await money.control("refuse", { code: "lock_timeout", path: "/v1/subscriptions/" });
  expect(await change(member, toBig(), key)).toMatchObject({ status: 409 });
  await money.control("advance", { days: 5 / 24 / 60 });
  const { body } = await change(member, toBig(), key);
  expect(body?.status).toBe("changed");
  expect(await paidBy(member)).toEqual([1000, body?.charged_now_cents]);
});

it("a preview that was made with an earlier preview can be confirmed", async () => {
  const member = await afterADay();
  const wanted = { ...toBig(), dry_run: true };
  const first = await change(member, wanted);
  await money.control("advance", { days: 1 / 24 / 60 });
  const second = await change(member, { ...wanted, preview_id: first.body?.preview_id });
  expect((await change(member, { ...toBig(), preview_id: second.body?.preview_id })).body?.status).toBe("changed");
});

it("a change that was interrupted before it reached Stripe is not charged to a person who was blocked since", async () => {
  for (let n = 1; ; n++) {
    const member = await money.aSubscriber(community);
    const key = withKey(`blocked-${n}`);
    const crash = crashAt(n, "before");
    await money.withFault(crash.fault, () => change(member, toBig(), key));
    const paid = await paidBy(member);
    await money.call(block, forMember(member));
    expect({ n, ...(await change(member, toBig(), key)) }).not.toMatchObject({ n, status: 500 });
    await money.reconcile(fromNow({ minutes: 10 }));
    expect({ n, paid: await paidBy(member) }).toEqual({ n, paid });
    await expectNothingOpen(money.table, member);
    if (crash.calls < n) break;
  }
});

it("a change that was interrupted charges the amount of its first attempt, or nothing", async () => {
  for (let n = 1; ; n++) {
    const member = await money.aSubscriber(community);
    const crash = crashAt(n, "before");
    await money.withFault(crash.fault, () => change(member, toBig()));
    const paid = await paidBy(member);
    const coupon = { amount_off: 300, duration: "forever" };
    await money.control(`subscriptions/${member.stripe_subscription_id}`, { coupon });
    await money.reconcile(new Date(1000 * (stripesNow() + 600)));
    expect({ n, paid: await paidBy(member) }).toEqual({ n, paid });
    await expectNothingOpen(money.table, member);
    if (crash.calls < n) break;
  }
});

it("a change that was interrupted is not charged more than an hour after its request", async () => {
  for (let n = 1; ; n++) {
    const member = await money.aSubscriber(community);
    const crash = crashAt(n, "before");
    await money.withFault(crash.fault, () => change(member, toBig()));
    const paid = await paidBy(member);
    await money.reconcile(new Date(1000 * (stripesNow() + 61 * 60)));
    expect({ n, paid: await paidBy(member) }).toEqual({ n, paid });
    await expectNothingOpen(money.table, member);
    if (crash.calls < n) break;
  }
});

it("a change whose schedule is refused because the subscription has ended answers each attempt alike, and no schedule stays", async () => {
  const { tier } = await money.price({
    ...community,
    tier: await aTier(money.table, community.id, { position: 3, monthly_price_dollars: 7 }),
  });
  const member = await money.aSubscriber(community);
  await money.control("refuse", { code: "invalid_canceled_subscription_fields", path: "/v1/subscription_schedules/" });
  for (let n = 1; n <= 2; n++)
    expect(await change(member, { tier_id: tier.id }, withKey("ended meanwhile"))).toMatchObject({
      status: 409,
      body: { code: "subscription_not_managed" },
    });
  expect(await scheduleOf(member)).toBeNull();
});

type Sold = Pick<Tier, "id" | "stripe_price_id">;

describe.each([
  ["price", ({ stripe_price_id: id }: Sold) => money.stripe.prices.update(id ?? "", { active: false })],
  ["product", ({ id }: Sold) => money.stripe.products.update(`odis_tier_${id}`, { active: false })],
] as const)("a tier whose %s was archived in Stripe", (_, archive) => {
  it.each([10, 7, 70])("of %i dollars is refused, also by a preview, and a scheduled change stays", async (dollars) => {
    const given = await aTier(money.table, community.id, { position: 3, monthly_price_dollars: dollars });
    const { tier } = await money.price({ ...community, tier: given });
    await archive(tier);
    const refused = { status: 422, body: { code: "unknown_tier" } };
    const member = await money.aSubscriber(community);
    expect(await change(member, { tier_id: tier.id, dry_run: true })).toMatchObject(refused);
    expect(await change(member, { tier_id: tier.id })).toMatchObject(refused);
    const owners = { ...forMember(member), body: { tier_id: tier.id } };
    expect(await money.call(changeSubscription, owners)).toMatchObject(refused);
    expect(await scheduleOf(member)).toBeNull();
    await money.call(changeSubscription, { ...forMember(member), body: toBig() });
    const scheduled = await scheduleOf(member);
    expect(scheduled).not.toBeNull();
    expect(await change(member, { tier_id: tier.id })).toMatchObject(refused);
    expect(await scheduleOf(member)).toBe(scheduled);
  });

  it("while a change to it is made is refused, and no schedule stays", async () => {
    const given = await aTier(money.table, community.id, { position: 3, monthly_price_dollars: 7 });
    const { tier } = await money.price({ ...community, tier: given });
    const member = await money.aSubscriber(community);
    let schedules = 0;
    const stripes = billingOf(async () => money.stripe);
    const billing: OpenBilling = (left) => async (ask, key) => {
      const response = await stripes(left)(ask, key);
      const isSchedule = (response as { object?: string }).object === "subscription_schedule";
      if (isSchedule && ++schedules === 1) await archive(tier);
      return response;
    };
    const platform = money.platform({ billing, now: () => new Date(1000 * stripesNow()) });
    const asked = { params: { community_id: community.id }, as: { id: member.user.id }, body: { tier_id: tier.id } };
    for (let n = 1; n <= 2; n++)
      expect(await money.call(changeOwn, { ...asked, ...withKey("archived meanwhile") }, platform)).toMatchObject({
        status: 422,
        body: { code: "unknown_tier" },
      });
    expect(schedules).toBeGreaterThan(0);
    expect(await scheduleOf(member)).toBeNull();
  });
});

describe.each([
  ["price", (id: string) => money.stripe.prices.update(id, { active: false })],
  [
    "product",
    async (id: string) =>
      money.stripe.products.update(idOf((await money.stripe.prices.retrieve(id)).product) ?? "", { active: false }),
  ],
] as const)("a member whose own %s was archived in Stripe", (_, archive) => {
  const small = () => ({ tier_id: community.tier.id });

  /** A member of a tier of 30 dollars, which is archived in Stripe. */
  async function ofArchivedTier() {
    const given = await aTier(money.table, community.id, { position: 4, monthly_price_dollars: 30 });
    const { tier } = await money.price({ ...community, tier: given });
    const member = await money.aSubscriber({ ...community, tier });
    await archive(tier.stripe_price_id ?? "");
    return member;
  }

  const refused = { status: 409, body: { code: "subscription_not_managed" } };

  it("if Stripe refuses it in a schedule, a change is refused, and no schedule stays", async () => {
    const member = await ofArchivedTier();
    for (const ask of [changeOwn, changeSubscription]) {
      const as = { id: ask === changeOwn ? member.user.id : community.owner.id };
      const over = { ...forMember(member), as, body: small(), ...withKey("archived") };
      for (let n = 1; n <= 2; n++) expect(await money.call(ask, over)).toMatchObject(refused);
      expect(await scheduleOf(member)).toBeNull();
    }
    await expectNothingOpen(money.table, member);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: member.tier_id, scheduled_change: null });
  });

  it("a refused change that is interrupted leaves no schedule once it was repeated or resumed", async () => {
    for (let n = 1; ; n++) {
      const [repeated, resumed] = [await ofArchivedTier(), await ofArchivedTier()];
      const key = withKey(`archived ${n}`);
      const crash = crashAt(n, "after");
      await money.withFault(crash.fault, () => change(repeated, small(), key));
      await money.withFault(crashAt(n, "after").fault, () => change(resumed, small()));
      expect({ n, ...(await change(repeated, small(), key)) }).toMatchObject({ n, ...refused });
      await money.reconcile(new Date(1000 * (stripesNow() + 600)));
      for (const member of [repeated, resumed]) {
        expect({ n, schedule: await scheduleOf(member) }).toEqual({ n, schedule: null });
        await expectNothingOpen(money.table, member);
      }
      if (crash.calls < n) break;
    }
  });

  it("if Stripe refuses it in a schedule, a change that was scheduled before stays", async () => {
    const given = await aTier(money.table, community.id, { position: 4, monthly_price_dollars: 30 });
    const { tier } = await money.price({ ...community, tier: given });
    const member = await money.aSubscriber({ ...community, tier });
    expect(await change(member, { tier_id: community.big.id })).toMatchObject({ body: { status: "scheduled" } });
    const schedule = await scheduleOf(member);
    await archive(tier.stripe_price_id ?? "");
    expect(await change(member, small())).toMatchObject(refused);
    expect(await scheduleOf(member)).toBe(schedule);
    expect(await money.memberNow(member)).toMatchObject({ scheduled_change: { tier: { id: community.big.id } } });
  });

  it("if Stripe keeps it in a schedule, a change is made at the end of the period, as its preview says", async () => {
    await money.control("faults", { archived_current_price: "kept" });
    const member = await ofArchivedTier();
    const { body: preview } = await change(member, { ...small(), dry_run: true });
    expect(preview).toMatchObject({ when: "at_period_end", charged_now_cents: 0, next_charge_cents: 1000 });
    const { preview_id } = preview ?? {};
    expect(await change(member, { ...small(), preview_id })).toMatchObject({
      status: 200,
      body: { status: "scheduled" },
    });
    expect(await scheduleOf(member)).not.toBeNull();
    await money.control("faults", { archived_current_price: "refused" });
  });
});

describe("a subscription that is paid in another way than by card", () => {
  const small = () => ({ tier_id: community.tier.id });

  /** Stripe, with a subscription that is paid in another way. */
  const paidOtherwise = (fields: object) => {
    const billing: Billing = async (ask, key) => {
      const response = await ask(money.stripe, key === undefined ? {} : { idempotencyKey: key });
      const isSubscription = (response as { object?: string }).object === "subscription";
      return isSubscription ? { ...response, ...fields } : response;
    };
    return money.platform({ billing: () => billing, now: () => new Date(1000 * stripesNow()) });
  };

  it.each([
    ["by bank debit", { default_payment_method: { type: "us_bank_account" } }, "payment_processor_refused"],
    ["by invoices that are sent", { collection_method: "send_invoice" }, "subscription_not_managed"],
  ])("%s cannot be charged for a change, and keeps the one that is scheduled", async (_, fields, code) => {
    const member = await afterADay();
    expect((await change(member, toBig())).body?.status).toBe("changed");
    expect((await change(member, small())).body?.status).toBe("scheduled");
    const schedule = await scheduleOf(member);
    const askFor = (body: object) =>
      money.call(
        changeOwn,
        { params: { community_id: community.id }, as: { id: member.user.id }, body },
        paidOtherwise(fields),
      );
    const yearly = { ...toBig(), interval: "year" };
    for (const body of [{ ...yearly, dry_run: true }, yearly])
      expect(await askFor(body)).toMatchObject({ status: 409, body: { code } });
    expect(await scheduleOf(member)).toBe(schedule);
    expect(schedule).not.toBeNull();
    expect((await askFor({ ...small(), dry_run: true })).status).toBe(200);
    await expectNothingOpen(money.table, member);
  });
});

it("a schedule that Stripe refuses for an unknown reason is refused in the same way by each attempt, and none stays", async () => {
  const { big: tier } = community;
  const member = await money.aSubscriber({ ...community, tier });
  for (const key of ["first", "first", "second"]) {
    await money.control("faults", { refuse: { code: "unknown", path: "/v1/subscription_schedules/" } });
    expect(await change(member, { tier_id: community.tier.id }, withKey(key))).toMatchObject({
      status: 409,
      body: { code: "payment_processor_refused", processor_code: "unknown" },
    });
    expect(await scheduleOf(member)).toBeNull();
  }
  await money.control("faults", { refuse: null });
  await expectNothingOpen(money.table, member);
});

it("a change after the customer was deleted in Stripe is refused, also before its event arrives", async () => {
  const member = await money.aSubscriber(community);
  await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
  expect(await change(member, toBig())).toMatchObject({ status: 409, body: { code: "subscription_not_managed" } });
});
