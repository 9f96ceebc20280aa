import { afterEach, describe, expect, it } from "vitest";
import { periodEnd } from "../src/core/periods.ts";
import { start, useLocalStripe } from "./local.ts";
import { aPrice, eventsOf, idOf } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));

const day = (moment: number | null | undefined) => new Date((moment ?? 0) * 1000).toISOString().slice(0, 10);

const subscribe = async (params: { card?: string; trial_period_days?: number } = {}) => {
  const { card = "pm_card_visa", ...rest } = params;
  const { id: customer } = await local.stripe.customers.create({
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const price = await aPrice(local.stripe);
  const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }], ...rest });
  return { customer, id };
};
const subscription = (id: string) => local.stripe.subscriptions.retrieve(id);

describe("a period", () => {
  const at = (date: string) => Date.parse(`${date}T12:00:00Z`) / 1000;

  it.each([
    { anchor: "2026-01-31", start: "2026-01-31", interval: "month", count: 1, end: "2026-02-28" },
    { anchor: "2026-01-31", start: "2026-02-28", interval: "month", count: 1, end: "2026-03-31" },
    { anchor: "2026-01-31", start: "2026-03-31", interval: "month", count: 1, end: "2026-04-30" },
    { anchor: "2028-02-29", start: "2028-02-29", interval: "year", count: 1, end: "2029-02-28" },
    { anchor: "2028-02-29", start: "2031-02-28", interval: "year", count: 1, end: "2032-02-29" },
    { anchor: "2026-01-15", start: "2026-04-15", interval: "month", count: 3, end: "2026-07-15" },
    { anchor: "2026-01-01", start: "2026-01-08", interval: "week", count: 1, end: "2026-01-15" },
    { anchor: "2026-01-01", start: "2026-01-03", interval: "day", count: 2, end: "2026-01-05" },
  ] as const)(
    "a period of $count $interval from $start ends on $end",
    ({ anchor, start: begin, interval, count, end }) => {
      expect(periodEnd(at(begin), at(anchor), { interval, interval_count: count })).toBe(at(end));
    },
  );
});

it("advancing the clock runs due actions in order, each at its own time", async () => {
  const { customer, id } = await subscribe({ trial_period_days: 7 });
  await local.control("advance", { days: 7 + 60 });
  const { data } = await local.stripe.charges.list({ customer });
  expect(data.map(({ created }) => day(created))).toEqual(["2026-04-07", "2026-03-07", "2026-02-07"]);
  const events = await local.stripe.events.list({ type: "invoice.paid" });
  expect(events.data.map(({ created }) => day(created))).toEqual(["2026-04-07"]);
  expect(day((await subscription(id)).items.data[0]?.current_period_end)).toBe("2026-05-07");
});

it("trial_will_end is sent three days before the end of a trial, then the first payment is made", async () => {
  const { customer } = await subscribe({ trial_period_days: 7 });
  await local.control("advance", { days: 4 });
  expect((await eventsOf(local.stripe, customer)).at(-1)).toBe("customer.subscription.trial_will_end");
  await local.control("advance", { days: 3 });
  const events = await eventsOf(local.stripe, customer);
  expect(events.slice(events.indexOf("customer.subscription.trial_will_end") + 1)).toEqual([
    "invoice.created",
    "payment_intent.created",
    "invoice.finalized",
    "customer.subscription.updated",
    "charge.succeeded",
    "payment_intent.succeeded",
    "invoice.updated",
    "invoice.paid",
    "invoice.payment_succeeded",
  ]);
});

describe("a renewal that is never paid", () => {
  it.each(["canceled", "unpaid", "past_due"] as const)(
    "a declined renewal is retried three times, then the subscription is %s",
    async (last) => {
      const { customer, id } = await subscribe();
      await local.control("faults", { decline: true, after_retries: last });
      await local.control("advance", { days: 28 });
      expect(await subscription(id)).toMatchObject({ status: "past_due" });
      await local.control("advance", { days: 14 });
      expect(await subscription(id)).toMatchObject({ status: "past_due" });
      await local.control("advance", { days: 1 });
      expect(await subscription(id)).toMatchObject({ status: last });
      const { data } = await local.stripe.charges.list({ customer });
      expect(data.map(({ status, created }) => `${status} ${day(created)}`)).toEqual([
        "failed 2026-03-15",
        "failed 2026-03-08",
        "failed 2026-03-03",
        "failed 2026-02-28",
        "succeeded 2026-01-31",
      ]);
      const [invoice] = (await local.stripe.invoices.list({ customer })).data;
      expect(invoice).toMatchObject({ status: "open", attempt_count: 4, next_payment_attempt: null });
    },
  );

  it("a subscription that ends after failed retries has the cancellation reason payment_failed", async () => {
    const { id } = await subscribe();
    await local.control("faults", { decline: true });
    await local.control("advance", { days: 60 });
    expect(await subscription(id)).toMatchObject({
      status: "canceled",
      cancellation_details: { reason: "payment_failed" },
    });
  });

  it("an unpaid renewal can still be paid by hand", async () => {
    const { id } = await subscribe();
    await local.control("faults", { decline: true, after_retries: "unpaid" });
    await local.control("advance", { days: 60 });
    await local.control("faults", { decline: 0 });
    await local.stripe.invoices.pay(idOf((await subscription(id)).latest_invoice));
    expect((await subscription(id)).status).toBe("active");
    await local.control("advance", { days: 31 });
    expect((await subscription(id)).status).toBe("active");
  });

  it("a renewal is not retried once it is paid or the subscription has ended", async () => {
    const [paid, ended] = [await subscribe(), await subscribe()];
    await local.control("faults", { decline: 2 });
    await local.control("advance", { days: 28 });
    await local.stripe.invoices.pay(idOf((await subscription(paid.id)).latest_invoice));
    await local.stripe.subscriptions.cancel(ended.id);
    await local.control("advance", { days: 20 });
    const statuses = async (customer: string) =>
      (await local.stripe.charges.list({ customer })).data.map(({ status }) => status);
    expect(await statuses(paid.customer)).toEqual(["succeeded", "failed", "succeeded"]);
    expect(await statuses(ended.customer)).toEqual(["failed", "succeeded"]);
  });
});

it("an incomplete first payment expires after 23 hours, and its invoice is voided", async () => {
  const { customer, id } = await subscribe({ card: "pm_card_chargeCustomerFail" });
  await local.control("advance", { days: 0.9 });
  expect((await subscription(id)).status).toBe("incomplete");
  await local.control("advance", { days: 0.1 });
  expect((await subscription(id)).status).toBe("incomplete_expired");
  expect((await local.stripe.invoices.list({ customer })).data).toMatchObject([{ status: "void" }]);
  await local.control("advance", { days: 60 });
  expect((await local.stripe.charges.list({ customer })).data).toHaveLength(1);
});

it("events are kept for 30 days", async () => {
  await local.stripe.products.create({ name: "Cask" });
  await local.control("advance", { days: 29 });
  expect((await local.stripe.events.list()).data).toHaveLength(1);
  await local.control("advance", { days: 2 });
  expect((await local.stripe.events.list()).data).toEqual([]);
});
