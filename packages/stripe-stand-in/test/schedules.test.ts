import type Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { type Member, membersOf, periodOf } from "./members.ts";
import { aPrice, eventsOf, idOf, refusal, there } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));
const { subscribe, change, useCard, latest } = membersOf(local);

const end = start / 1000 + 28 * 86_400;
const retrieve = (id: string) => local.stripe.subscriptions.retrieve(id);
const schedules = () => local.stripe.subscriptionSchedules;
const begin = ({ id }: Member) => schedules().create({ from_subscription: id });

type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase;

/** Repeats the current phase, and adds one that begins at its end. */
async function scheduleNext(member: Member, next: Phase, params: Stripe.SubscriptionScheduleUpdateParams = {}) {
  const { id, phases } = await begin(member);
  const [current] = phases;
  const repeated: Phase = {
    items: [{ price: idOf(there(current).items[0]?.price), quantity: 1 }],
    start_date: there(current).start_date,
    end_date: there(current).end_date,
    proration_behavior: "none",
  };
  return schedules().update(id, { phases: [repeated, next], end_behavior: "release", ...params });
}

describe("a schedule that is created from a subscription", () => {
  it("a new schedule has the current period as its only phase, and is released at its end", async () => {
    const member = await subscribe();
    const schedule = await begin(member);
    expect(schedule).toMatchObject({
      status: "active",
      end_behavior: "release",
      subscription: member.id,
      current_phase: { start_date: start / 1000, end_date: end },
      phases: [{ start_date: start / 1000, end_date: end, items: [{ quantity: 1 }] }],
    });
    expect((await retrieve(member.id)).schedule).toBe(schedule.id);
    await local.control("advance", { days: 28 });
    expect(await schedules().retrieve(schedule.id)).toMatchObject({
      status: "released",
      released_subscription: member.id,
      subscription: null,
    });
    expect((await retrieve(member.id)).schedule).toBeNull();
    expect(await latest(member.id)).toMatchObject({ total: 2_800, billing_reason: "subscription_cycle" });
  });

  it.each([
    { end_behavior: "release" },
    { phases: [{ items: [{ price: "price_1" }] }] },
    { metadata: { a: "b" } },
  ] as const)("from_subscription cannot be combined with other parameters: %s", async (params) => {
    const { id } = await subscribe();
    const given = { from_subscription: id, ...params } as Stripe.SubscriptionScheduleCreateParams;
    expect(await refusal(schedules().create(given))).toMatchObject({
      status: 400,
      message: `You cannot set \`${Object.keys(params)[0]}\` if \`from_subscription\` is set.`,
    });
  });

  it("a second schedule is refused", async () => {
    const member = await subscribe();
    await begin(member);
    expect(await refusal(begin(member))).toMatchObject({
      status: 400,
      message: expect.stringContaining("already attached to a schedule"),
    });
  });
});

describe("a phase that begins with the next period", () => {
  it("a phase that begins with a period changes the price before the renewal", async () => {
    const member = await subscribe(2_800);
    const price = await aPrice(local.stripe, 1_400);
    const next: Phase = { items: [{ price }], proration_behavior: "none", metadata: { tier: "silver", old: "" } };
    await local.stripe.subscriptions.update(member.id, { metadata: { old: "x", kept: "y" } });
    const { id } = await scheduleNext(member, next);
    await local.control("advance", { days: 27 });
    expect((await retrieve(member.id)).items.data[0]?.price.unit_amount).toBe(2_800);
    await local.control("advance", { days: 1 });
    expect(await latest(member.id)).toMatchObject({ total: 1_400, billing_reason: "subscription_cycle" });
    const subscription = await retrieve(member.id);
    expect(subscription).toMatchObject({ metadata: { tier: "silver", kept: "y" }, schedule: id });
    expect(subscription.metadata).not.toHaveProperty("old");
    expect((await schedules().retrieve(id)).current_phase?.start_date).toBe(end);
    const types = await eventsOf(local.stripe, member.customer);
    expect(types.filter((type) => type.startsWith("subscription_schedule"))).toEqual([
      "subscription_schedule.created",
      "subscription_schedule.updated",
      "subscription_schedule.updated",
    ]);
    await local.control("advance", { days: 31 });
    expect(await latest(member.id)).toMatchObject({ total: 1_400 });
    expect((await retrieve(member.id)).schedule).toBeNull();
  });

  it("a schedule changes a yearly price to a monthly one at the end of the year", async () => {
    const member = await subscribe(28_000, { interval: "year" });
    await scheduleNext(member, { items: [{ price: await aPrice(local.stripe, 2_800) }], proration_behavior: "none" });
    await local.control("advance", { days: 365 });
    expect(periodOf(await retrieve(member.id))).toEqual(["2027-01-31", "2027-02-28"]);
    expect(await latest(member.id)).toMatchObject({ total: 2_800 });
    await local.control("advance", { days: 28 });
    expect(periodOf(await retrieve(member.id))).toEqual(["2027-02-28", "2027-03-31"]);
  });

  it("a schedule changes a monthly price to a yearly one with phase_start", async () => {
    const member = await subscribe(2_800);
    const yearly = { items: [{ price: await aPrice(local.stripe, 28_000, "year") }] };
    expect(await refusal(scheduleNext(member, yearly))).toMatchObject({ status: 400 });
    const id = idOf((await retrieve(member.id)).schedule);
    await schedules().release(id);
    await scheduleNext(member, { ...yearly, billing_cycle_anchor: "phase_start" });
    await local.control("advance", { days: 28 });
    expect(periodOf(await retrieve(member.id))).toEqual(["2026-02-28", "2027-02-28"]);
    expect(await latest(member.id)).toMatchObject({ total: 28_000 });
  });

  it("a preview uses the price of the next phase", async () => {
    const member = await subscribe(2_800);
    await scheduleNext(member, { items: [{ price: await aPrice(local.stripe, 1_400) }], proration_behavior: "none" });
    expect(await local.stripe.invoices.createPreview({ subscription: member.id })).toMatchObject({ total: 1_400 });
  });

  it("a trial continues if the current phase repeats its end", async () => {
    const member = await subscribe(2_800, { trial_period_days: 14 });
    const price = await aPrice(local.stripe, 1_400);
    expect(await refusal(scheduleNext(member, { items: [{ price }] }))).toMatchObject({ status: 400 });
    const schedule = await schedules().retrieve(idOf((await retrieve(member.id)).schedule));
    const [current] = schedule.phases;
    expect(current?.trial_end).toBe(start / 1000 + 14 * 86_400);
    await schedules().update(schedule.id, {
      phases: [
        {
          items: [{ price: idOf(current?.items[0]?.price) }],
          start_date: current?.start_date,
          end_date: current?.end_date,
          trial_end: there(current?.trial_end),
        },
        { items: [{ price }], proration_behavior: "none" },
      ],
    });
    await local.control("advance", { days: 14 });
    expect(await retrieve(member.id)).toMatchObject({ status: "active" });
    expect(await latest(member.id)).toMatchObject({ total: 1_400 });
  });
});

it("a phase that begins within a period is prorated", async () => {
  const member = await subscribe(2_800);
  const { id, phases } = await begin(member);
  const price = idOf(phases[0]?.items[0]?.price);
  const half = start / 1000 + 14 * 86_400;
  await schedules().update(id, {
    phases: [
      { items: [{ price }], start_date: phases[0]?.start_date, end_date: half },
      {
        items: [{ price: await aPrice(local.stripe, 5_600) }],
        duration: { interval: "month", interval_count: 2 },
        proration_behavior: "always_invoice",
      },
    ],
  });
  await local.control("advance", { days: 14 });
  expect(await latest(member.id)).toMatchObject({
    total: 1_400,
    status: "paid",
    billing_reason: "subscription_update",
  });
  expect(periodOf(await retrieve(member.id))).toEqual(["2026-01-31", "2026-02-28"]);
});

describe("the discounts of phases", () => {
  const discounted = async () => {
    const member = await subscribe(2_800);
    await local.control(`subscriptions/${member.id}`, { coupon: { percent_off: 50, duration: "forever" } });
    const [discount] = (await retrieve(member.id)).discounts;
    return { member, discount: idOf(discount) };
  };

  it("a phase without discounts removes those of the subscription", async () => {
    const { member } = await discounted();
    await scheduleNext(member, { items: [{ price: await aPrice(local.stripe, 2_800) }] });
    expect((await retrieve(member.id)).discounts).toEqual([]);
  });

  it("phases with the discounts of the subscription keep them", async () => {
    const { member, discount } = await discounted();
    const { id, phases } = await begin(member);
    const discounts = [{ discount }];
    expect(phases[0]?.discounts).toMatchObject(discounts);
    const price = idOf(phases[0]?.items[0]?.price);
    await schedules().update(id, {
      phases: [
        { items: [{ price }], discounts, start_date: phases[0]?.start_date, end_date: phases[0]?.end_date },
        { items: [{ price: await aPrice(local.stripe, 1_400) }], discounts, proration_behavior: "none" },
      ],
    });
    await local.control("advance", { days: 28 });
    expect(await latest(member.id)).toMatchObject({ subtotal: 1_400, total: 700 });
  });
});

describe.each(["price", "product"])("an archived %s of a subscription", (what) => {
  async function archived() {
    const member = await subscribe(2_800);
    const price = there((await retrieve(member.id)).items.data[0]).price;
    if (what === "price") await local.stripe.prices.update(price.id, { active: false });
    else await local.stripe.products.update(idOf(price.product), { active: false });
    return { member, price: price.id };
  }

  it("with the setting archived_current_price, the current phase keeps it until the next one begins", async () => {
    await local.control("faults", { archived_current_price: "kept" });
    const { member } = await archived();
    await scheduleNext(member, { items: [{ price: await aPrice(local.stripe, 1_400) }], proration_behavior: "none" });
    expect((await retrieve(member.id)).items.data[0]?.price.unit_amount).toBe(2_800);
    await local.control("advance", { days: 28 });
    expect(await latest(member.id)).toMatchObject({ total: 1_400 });
  });

  it.each(["refused", "kept"])(
    "with the setting archived_current_price %s, a later phase cannot have it",
    async (setting) => {
      await local.control("faults", { archived_current_price: setting });
      const { member, price } = await archived();
      const scheduled = scheduleNext(member, { items: [{ price }] });
      expect(await refusal(scheduled)).toMatchObject({ status: 400, message: expect.stringContaining("inactive") });
    },
  );
});

describe("a schedule", () => {
  it("a schedule refuses invalid phases", async () => {
    const member = await subscribe();
    const { id, phases } = await begin(member);
    const items = [{ price: idOf(phases[0]?.items[0]?.price) }];
    const date = start / 1000;
    const refused = [
      { phases: [{ items }], message: "Missing at least one phase with `start_date`" },
      { phases: [{ items, start_date: "now" }], message: "You can not modify the start date of the current phase" },
      { phases: [{ items, start_date: date - 1 }], message: "You can not modify the start date of the current phase" },
      { phases: [{ items, start_date: date, iterations: 2 }], message: "unknown parameter: phases[0][iterations]" },
      { phases: [{ items, start_date: date, end_date: date }], message: "The end date of a phase" },
      {
        phases: [{ items, start_date: date, end_date: end, duration: { interval: "month" } }],
        message: "You may only specify one of these parameters",
      },
      {
        phases: [
          { items, start_date: date, end_date: end },
          { items, start_date: end + 1 },
        ],
        message: "The start date",
      },
      { phases: [{ items: [...items, ...items], start_date: date }], message: "does not model" },
      { phases: [{ items, start_date: date }], end_behavior: "cancel", message: "does not model" },
    ];
    for (const { message, ...params } of refused)
      expect(await refusal(schedules().update(id, params as Stripe.SubscriptionScheduleUpdateParams))).toMatchObject({
        status: 400,
        message: expect.stringContaining(message),
      });
  });

  it("a scheduled subscription cannot be set to cancel until the schedule is released", async () => {
    const member = await subscribe();
    const { id } = await begin(member);
    const cancel = () => local.stripe.subscriptions.update(member.id, { cancel_at_period_end: true });
    expect(await refusal(cancel())).toMatchObject({ message: expect.stringContaining("Please update the schedule") });
    await schedules().release(id);
    expect(await cancel()).toMatchObject({ cancel_at_period_end: true });
    expect(await refusal(schedules().update(id, {}))).toMatchObject({ status: 400 });
  });

  it("canceling a schedule cancels its subscription", async () => {
    const member = await subscribe();
    const { id } = await begin(member);
    expect(await refusal(schedules().cancel(id))).toMatchObject({ status: 400 });
    expect(await schedules().cancel(id, { prorate: false, invoice_now: false })).toMatchObject({ status: "canceled" });
    expect((await retrieve(member.id)).status).toBe("canceled");
    expect((await schedules().list({ customer: member.customer })).data).toHaveLength(1);
  });

  it("the start of a phase expires a pending update", async () => {
    const member = await subscribe(2_800);
    const { id, phases } = await begin(member);
    const price = idOf(phases[0]?.items[0]?.price);
    const soon = start / 1000 + 3_600;
    await schedules().update(id, {
      phases: [
        { items: [{ price }], start_date: phases[0]?.start_date, end_date: soon },
        { items: [{ price }], metadata: { phase: "2" } },
      ],
    });
    await useCard(member.customer, "pm_card_chargeCustomerFail");
    await change(member, 5_600, { proration_behavior: "always_invoice", payment_behavior: "pending_if_incomplete" });
    await local.control("advance", { days: 1 / 24 });
    expect(await retrieve(member.id)).toMatchObject({ pending_update: null, metadata: { phase: "2" } });
    expect(await eventsOf(local.stripe, member.customer)).toContain("customer.subscription.pending_update_expired");
  });

  it("a restricted key needs the permission for subscription schedules", async () => {
    const member = await subscribe();
    const { key } = (await local.control("keys", { permissions: ["subscriptions:write"] })) as { key: string };
    const response = await fetch(`${local.server.url}/v1/subscription_schedules`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: new URLSearchParams({ from_subscription: member.id }),
    });
    expect(response.status).toBe(403);
  });
});
