import { afterEach, describe, expect, it } from "vitest";
import { useLocalStripe } from "./local.ts";
import { aPrice, idOf, refusal, there } from "./target.ts";

const leapDay = Date.UTC(2028, 1, 29, 12);
const local = useLocalStripe({ now: () => leapDay });
afterEach(() => local.control("reset"));

const day = (moment: number | undefined) => new Date(there(moment) * 1000).toISOString().slice(0, 10);
const control = (path: string, body: object) => local.control(path, body);

async function subscribe(params: { trial_period_days?: number } = {}) {
  const card = "pm_card_visa";
  const { id: customer } = await local.stripe.customers.create({
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const price = await aPrice(local.stripe, 25_000, "year");
  const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }], ...params });
  return { customer, id };
}

/** What each invoice bills, oldest first: its reason, the period of its line, and its total. */
async function billed(subscription: string): Promise<string[]> {
  const { data } = await local.stripe.invoices.list({ subscription });
  return data.toReversed().map(({ billing_reason: reason, total, lines }) => {
    const { start, end } = there(lines.data[0]).period;
    return `${reason} ${day(start)} ${day(end)} ${total}`;
  });
}

describe("a subscription with a yearly price", () => {
  it("a yearly subscription that starts on 29 February renews on 28 February, and on 29 February of a leap year", async () => {
    const { id } = await subscribe();
    await control("advance", { days: 4 * 365 + 1 });
    expect(await billed(id)).toEqual([
      "subscription_create 2028-02-29 2029-02-28 25000",
      "subscription_cycle 2029-02-28 2030-02-28 25000",
      "subscription_cycle 2030-02-28 2031-02-28 25000",
      "subscription_cycle 2031-02-28 2032-02-29 25000",
      "subscription_cycle 2032-02-29 2033-02-28 25000",
    ]);
    const { items } = await local.stripe.subscriptions.retrieve(id);
    expect(items.data[0]).toMatchObject({ plan: { interval: "year", interval_count: 1 } });
    expect(day(items.data[0]?.current_period_end)).toBe("2033-02-28");
  });

  it("the first year of a trial begins at the end of the trial", async () => {
    const { id } = await subscribe({ trial_period_days: 7 });
    await control("advance", { days: 7 });
    expect(await billed(id)).toEqual([
      "subscription_create 2028-02-29 2028-03-07 0",
      "subscription_cycle 2028-03-07 2029-03-07 25000",
    ]);
  });

  it("a discount of 12 months reduces one yearly invoice after it was redeemed", async () => {
    const { id } = await subscribe();
    await control("advance", { days: 200 });
    const coupon = { percent_off: 20, duration: "repeating", duration_in_months: 12 };
    await control(`subscriptions/${id}`, { coupon });
    await control("advance", { days: 2 * 365 });
    expect((await billed(id)).map((line) => Number(line.split(" ").at(-1)))).toEqual([25_000, 20_000, 25_000]);
  });

  it("Checkout sells a yearly price", async () => {
    const price = await aPrice(local.stripe, 25_000, "year");
    const { id, amount_total } = await local.stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price, quantity: 1 }],
      success_url: "https://example.com/",
    });
    expect(amount_total).toBe(25_000);
    const page = await fetch(`${local.server.url}/_fake/checkout/${id}`);
    expect(await page.text()).toContain("$250.00 every year");
    await control(`checkout/${id}/complete`, {});
    const { subscription } = await local.stripe.checkout.sessions.retrieve(id);
    expect(await billed(idOf(subscription))).toEqual(["subscription_create 2028-02-29 2029-02-28 25000"]);
  });

  it("the portal cancels a yearly subscription at the end of the year", async () => {
    const { customer, id } = await subscribe();
    const { id: configuration } = await local.stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: true } },
    });
    const session = await local.stripe.billingPortal.sessions.create({ customer, configuration });
    const page = await fetch(session.url);
    const shown = await page.text();
    expect(shown).toContain("$250.00 every year");
    expect(shown).toContain("Cancel on 2029-02-28");
    await fetch(session.url, { method: "POST", body: new URLSearchParams({ action: "cancel", subscription: id }) });
    const { cancel_at: cancelAt } = await local.stripe.subscriptions.retrieve(id);
    expect(day(there(cancelAt))).toBe("2029-02-28");
  });
});

it.each([
  { interval: "year", interval_count: 4 },
  { interval: "month", interval_count: 37 },
  { interval: "week", interval_count: 157 },
  { interval: "day", interval_count: 1_096 },
] as const)(
  "a price with an interval of more than three years is refused: $interval_count $interval",
  async (recurring) => {
    const params = { currency: "usd", unit_amount: 100, recurring, product_data: { name: "Gold plan" } };
    expect(await refusal(local.stripe.prices.create(params))).toMatchObject({ status: 400 });
    await local.stripe.prices.create({
      ...params,
      recurring: { ...recurring, interval_count: recurring.interval_count - 1 },
    });
  },
);
