import type Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { aPrice, idOf, refusal, there } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));

const card = "pm_card_visa";
const now = { type: "now" } as const;

async function subscribe(amount: number, interval: "month" | "year" = "month") {
  const { id: customer } = await local.stripe.customers.create({
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const price = await aPrice(local.stripe, amount, interval);
  const { id, items } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
  return { customer, id, item: idOf(items.data[0]) };
}

const figures = (invoice: Stripe.Invoice) => ({
  lines: invoice.lines.data.map(({ amount, description, period }) => ({ amount, description, period })),
  subtotal: invoice.subtotal,
  total: invoice.total,
  amount_due: invoice.amount_due,
  starting_balance: invoice.starting_balance,
  ending_balance: invoice.ending_balance,
});

/** Everything that is stored, apart from responses of idempotency keys. */
const stored = () =>
  local.server.act((account) =>
    (["subscription", "invoice", "invoiceitem", "customer", "event", "task", "payment_intent"] as const).map((kind) => [
      ...account.rows(kind),
    ]),
  );

const latest = async (subscription: string) => there((await local.stripe.invoices.list({ subscription })).data[0]);

describe("a preview of a change that is billed now", () => {
  it.each([
    { from: 2_800, to: 5_600, params: { proration_behavior: "always_invoice" } },
    { from: 5_600, to: 2_800, params: { proration_behavior: "always_invoice" } },
    { from: 2_800, to: 28_000, interval: "year", params: { billing_cycle_anchor: now } },
    { from: 2_800, to: 28_000, interval: "year", params: { billing_cycle_anchor: now, proration_behavior: "none" } },
    { from: 0, to: 2_800, params: { billing_cycle_anchor: now, proration_behavior: "always_invoice" } },
  ] as const)(
    "a preview has the same lines and amounts as the update: $from to $to with $params",
    async ({ from, to, params, ...rest }) => {
      const member = await subscribe(from);
      await local.control("advance", { days: 10 });
      const date = start / 1000 + 9 * 86_400;
      const isNone = "proration_behavior" in params && params.proration_behavior === "none";
      const items = [
        { id: member.item, price: await aPrice(local.stripe, to, "interval" in rest ? rest.interval : "month") },
      ];
      const details = { ...params, items, ...(!isNone && { proration_date: date }) };
      const before = stored();
      const preview = await local.stripe.invoices.createPreview({
        subscription: member.id,
        subscription_details: details,
      });
      expect(stored()).toEqual(before);
      expect(preview).toMatchObject({ status: "draft", billing_reason: "upcoming", number: null });
      expect(preview.id).toContain("upcoming_in");

      await local.stripe.subscriptions.update(member.id, details);
      expect(figures(preview)).toEqual(figures(await latest(member.id)));
    },
  );
});

describe("a preview of the next renewal", () => {
  it("a preview of a renewal includes pending prorations and the new price", async () => {
    const member = await subscribe(2_800);
    await local.control("advance", { days: 14 });
    const price = await aPrice(local.stripe, 5_600);
    const details = { items: [{ id: member.item, price }], proration_date: start / 1000 + 14 * 86_400 };
    const preview = await local.stripe.invoices.createPreview({
      subscription: member.id,
      subscription_details: details,
    });
    expect(preview.parent?.subscription_details?.subscription_proration_date).toBe(details.proration_date);
    await local.stripe.subscriptions.update(member.id, details);
    const without = await local.stripe.invoices.createPreview({ subscription: member.id });
    expect(figures(without)).toEqual(figures(preview));
    await local.control("advance", { days: 14 });
    expect(figures(await latest(member.id))).toEqual(figures(preview));
  });

  it("a preview of a renewal uses the customer's balance and the discounts that still apply", async () => {
    const member = await subscribe(2_800);
    await local.stripe.customers.createBalanceTransaction(member.customer, { amount: -1_000, currency: "usd" });
    await local.control(`subscriptions/${member.id}`, { coupon: { percent_off: 10, duration: "once" } });
    const preview = await local.stripe.invoices.createPreview({ subscription: member.id });
    expect(preview).toMatchObject({ subtotal: 2_800, total: 2_520, starting_balance: -1_000, amount_due: 1_520 });
  });

  it("a preview of a renewal uses the price of a phase that starts with it", async () => {
    const member = await subscribe(2_800);
    const price = await aPrice(local.stripe, 1_000);
    await local.control(`subscriptions/${member.id}`, { schedule: { phases: [{ price, starts_in_days: 28 }] } });
    const { schedule } = await local.stripe.subscriptions.retrieve(member.id);
    expect(await local.stripe.invoices.createPreview({ subscription: member.id })).toMatchObject({ total: 1_000 });
    expect(await local.stripe.invoices.createPreview({ schedule: idOf(schedule) })).toMatchObject({ total: 1_000 });
  });

  it("a preview is refused if the subscription ends before its next invoice", async () => {
    const member = await subscribe(2_800);
    await local.stripe.subscriptions.update(member.id, { cancel_at_period_end: true });
    expect(await refusal(local.stripe.invoices.createPreview({ subscription: member.id }))).toMatchObject({
      status: 404,
      code: "invoice_upcoming_none",
    });
  });
});

it("a preview refuses parameters that cannot be combined", async () => {
  const member = await subscribe(2_800);
  const items = [{ id: member.item, price: await aPrice(local.stripe, 5_600) }];
  const date = start / 1000;
  const refused: Stripe.InvoiceCreatePreviewParams[] = [
    { subscription: member.id, schedule: "sub_sched_1" },
    { subscription: member.id, subscription_details: { items }, schedule_details: { end_behavior: "release" } },
    { subscription: member.id, subscription_details: { items, proration_behavior: "none", proration_date: date } },
    { subscription: member.id, subscription_details: { proration_date: date } },
    { subscription: member.id, subscription_details: { items, proration_date: date - 1 } },
    { subscription: member.id, subscription_details: { trial_end: "now" } },
    { customer: member.customer },
    { customer: "cus_1", subscription: member.id },
  ];
  for (const params of refused)
    expect(await refusal(local.stripe.invoices.createPreview(params))).toMatchObject({ status: 400 });
});
