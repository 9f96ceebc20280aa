import { afterEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { linesOf, membersOf, periodOf } from "./members.ts";
import { aPrice, eventsOf, idOf, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));

const { subscribe, change, balanceOf, latest } = membersOf(local);
const seconds = 86_400;

describe("a change to a price with the same interval", () => {
  it("create_prorations keeps the billing date, and bills the difference with the next renewal", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    const changed = await change(member, 5_600);
    expect(periodOf(changed)).toEqual(["2026-01-31", "2026-02-28"]);
    expect((await local.stripe.charges.list({ customer: member.customer })).data).toHaveLength(1);
    const pending = await local.stripe.invoiceItems.list({ customer: member.customer, pending: true });
    expect(pending.data.map(({ amount, proration }) => ({ amount, proration }))).toEqual([
      { amount: 2_800, proration: true },
      { amount: -1_400, proration: true },
    ]);

    await local.control("advance", { days: 14 });
    const invoice = await latest(member.id);
    expect(invoice).toMatchObject({ billing_reason: "subscription_cycle", total: 7_000, amount_paid: 7_000 });
    expect(linesOf(invoice)).toEqual([
      "Remaining time on Gold plan after 14 Feb 2026: 2800",
      "Unused time on Gold plan after 14 Feb 2026: -1400",
      "1 × Gold plan: 5600",
    ]);
    const left = await local.stripe.invoiceItems.list({ customer: member.customer, pending: true });
    expect(left.data).toEqual([]);
  });

  it("always_invoice bills the difference now, in lines that are marked as prorations", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 7 });
    const changed = await change(member, 5_600, { proration_behavior: "always_invoice" });
    const invoice = await latest(member.id);
    expect(changed.latest_invoice).toBe(invoice.id);
    expect(invoice).toMatchObject({ billing_reason: "subscription_update", status: "paid", total: 2_100 });
    const end = start / 1000 + 28 * seconds;
    expect(invoice.lines.data).toMatchObject([
      {
        amount: 4_200,
        discountable: false,
        period: { start: end - 21 * seconds, end },
        parent: { subscription_item_details: { proration: true, subscription_item: member.item } },
      },
      { amount: -2_100, parent: { subscription_item_details: { proration: true } } },
    ]);
    const credited = invoice.lines.data[1]?.parent?.subscription_item_details?.proration_details?.credited_items;
    const [, first] = (await local.stripe.invoices.list({ subscription: member.id })).data;
    expect(credited).toEqual({ invoice: first?.id, invoice_line_items: [first?.lines.data[0]?.id] });
    expect(await eventsOf(local.stripe, member.customer)).toContain("invoiceitem.created");
  });

  it("proration_behavior none bills the new price from the next renewal on", async () => {
    const member = await subscribe();
    await change(member, 5_600, { proration_behavior: "none" });
    await local.control("advance", { days: 28 });
    expect(await latest(member.id)).toMatchObject({ total: 5_600 });
  });

  it("a credit becomes the customer's balance, which pays later invoices", async () => {
    const member = await subscribe(5_600);
    await local.control("advance", { days: 14 });
    await change(member, 700, { proration_behavior: "always_invoice" });
    const invoice = await latest(member.id);
    expect(invoice).toMatchObject({
      status: "paid",
      total: -2_450,
      amount_due: 0,
      amount_paid: 0,
      starting_balance: 0,
      ending_balance: -2_450,
    });
    expect(await balanceOf(member.customer)).toBe(-2_450);

    await local.control("advance", { days: 14 + 31 + 30 + 31 });
    const invoices = await local.stripe.invoices.list({ subscription: member.id, limit: 4 });
    expect(
      invoices.data.map((row) => [row.total, row.starting_balance, row.ending_balance, row.amount_paid]).toReversed(),
    ).toEqual([
      [700, -2_450, -1_750, 0],
      [700, -1_750, -1_050, 0],
      [700, -1_050, -350, 0],
      [700, -350, 0, 350],
    ]);
    expect(await balanceOf(member.customer)).toBe(0);
    const entries = await local.stripe.customers.listBalanceTransactions(member.customer);
    expect(entries.data.map(({ type, amount, ending_balance }) => [type, amount, ending_balance]).toReversed()).toEqual(
      [
        ["invoice_too_small", -2_450, -2_450],
        ["applied_to_invoice", 700, -1_750],
        ["applied_to_invoice", 700, -1_050],
        ["applied_to_invoice", 700, -350],
        ["applied_to_invoice", 350, 0],
      ],
    );
  });

  it("an amount that is too small to charge is added to the next invoice", async () => {
    const member = await subscribe(2_800);
    await local.control("advance", { days: 14 });
    await change(member, 2_880, { proration_behavior: "always_invoice" });
    expect(await latest(member.id)).toMatchObject({ total: 40, amount_due: 0, status: "paid", ending_balance: 40 });
    await local.control("advance", { days: 14 });
    expect(await latest(member.id)).toMatchObject({ total: 2_880, starting_balance: 40, amount_paid: 2_920 });
  });

  it("a new price resets the quantity to 1, unless it is given", async () => {
    const member = await subscribe(1_000);
    const more = await change(member, 1_000, { quantity: 3, proration_behavior: "none" });
    expect(more.items.data[0]?.quantity).toBe(3);
    const reset = await change(member, 2_000, { proration_behavior: "none" });
    expect(reset.items.data[0]?.quantity).toBe(1);
  });

  it("a trial keeps its end, and costs nothing", async () => {
    const member = await subscribe(2_800, { trial_period_days: 14 });
    const changed = await change(member, 5_600, { proration_behavior: "always_invoice" });
    expect(changed).toMatchObject({ status: "trialing", trial_end: start / 1000 + 14 * seconds });
    expect(await latest(member.id)).toMatchObject({ total: 0, status: "paid" });
    await local.control("advance", { days: 14 });
    expect(await latest(member.id)).toMatchObject({ total: 5_600, billing_reason: "subscription_cycle" });
  });
});

describe("a change of the billing date", () => {
  const now = { type: "now" } as const;

  it("billing_cycle_anchor now starts a year, less what is left of the month", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    const changed = await change(member, 28_000, { interval: "year", billing_cycle_anchor: now });
    expect(periodOf(changed)).toEqual(["2026-02-14", "2027-02-14"]);
    expect(changed.billing_cycle_anchor).toBe(start / 1000 + 14 * seconds);
    const invoice = await latest(member.id);
    expect(invoice).toMatchObject({ billing_reason: "subscription_update", total: 26_600, amount_paid: 26_600 });
    expect(linesOf(invoice)).toEqual(["Unused time on Gold plan after 14 Feb 2026: -1400", "1 × Gold plan: 28000"]);

    await local.control("advance", { days: 365 });
    expect(await latest(member.id)).toMatchObject({ total: 28_000, billing_reason: "subscription_cycle" });
    const { data } = await local.stripe.invoices.list({ subscription: member.id });
    expect(data).toHaveLength(3);
  });

  it("proration_behavior none resets the billing date without a credit", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    const none = { billing_cycle_anchor: now, proration_behavior: "none" } as const;
    await change(member, 28_000, { interval: "year", ...none });
    expect(await latest(member.id)).toMatchObject({ total: 28_000 });
  });

  it("a year that becomes a month leaves a credit, and is not renewed at the end of the year", async () => {
    const member = await subscribe(36_500, { interval: "year" });
    await change(member, 1_000, { billing_cycle_anchor: now });
    expect(await latest(member.id)).toMatchObject({ total: -35_500, amount_due: 0 });
    await local.control("advance", { days: 366 });
    const { data } = await local.stripe.invoices.list({ subscription: member.id, limit: 100 });
    expect(data).toHaveLength(2 + 12);
    expect(await balanceOf(member.customer)).toBe(-35_500 + 12_000);
  });

  it("a one-time coupon reduces the invoice of the change, and no later one", async () => {
    const member = await subscribe();
    await local.control(`subscriptions/${member.id}`, { coupon: { percent_off: 50, duration: "once" } });
    const changed = await change(member, 28_000, { interval: "year", billing_cycle_anchor: now });
    // Half of the year, less the whole month.
    expect(await latest(member.id)).toMatchObject({ subtotal: 25_200, total: 11_200, status: "paid" });
    expect(changed.discounts).toEqual([]);
    await local.control("advance", { days: 366 });
    expect(await latest(member.id)).toMatchObject({ billing_reason: "subscription_cycle", total: 28_000 });
  });

  it("without billing_cycle_anchor, another interval keeps the billing date, as in flexible billing mode", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    const changed = await change(member, 36_500, { interval: "year" });
    expect(periodOf(changed)).toEqual(["2026-01-31", "2027-01-31"]);
    expect((await local.stripe.invoices.list({ subscription: member.id })).data).toHaveLength(1);
    const pending = await local.stripe.invoiceItems.list({ pending: true });
    expect(pending.data.map(({ amount }) => amount)).toEqual([35_100, -1_400]);
  });

  it("with the setting billing_date, another interval resets the billing date, as the API reference says", async () => {
    await local.control("faults", { billing_date: "reset" });
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    const changed = await change(member, 28_000, { interval: "year", proration_behavior: "none" });
    expect(periodOf(changed)).toEqual(["2026-02-14", "2027-02-14"]);
    expect(await latest(member.id)).toMatchObject({ total: 28_000, billing_reason: "subscription_update" });
  });

  it.each(["kept", "reset"] as const)("from free to paid, the billing date is %s", async (billing_date) => {
    await local.control("faults", { billing_date });
    const member = await subscribe(0);
    await local.control("advance", { days: 14 });
    const changed = await change(member, 2_800, { proration_behavior: "none" });
    const isReset = billing_date === "reset";
    expect(periodOf(changed)).toEqual(isReset ? ["2026-02-14", "2026-03-14"] : ["2026-01-31", "2026-02-28"]);
    expect(await latest(member.id)).toMatchObject({ total: isReset ? 2_800 : 0 });
  });
});

describe("credits in flexible billing mode", () => {
  it("a credit gives back what was billed, not the current price", async () => {
    const member = await subscribe(1_000);
    await local.control("advance", { days: 14 });
    await change(member, 2_000, { proration_behavior: "none" });
    await change(member, 1_000, { proration_behavior: "always_invoice" });
    expect(linesOf(await latest(member.id)).map((line) => line.split(": ")[1])).toEqual(["500", "-500"]);
  });

  it("each billed amount is credited once", async () => {
    const member = await subscribe(2_800);
    await local.control("advance", { days: 7 });
    await change(member, 5_600, { proration_behavior: "always_invoice" });
    await local.control("advance", { days: 7 });
    await change(member, 2_800, { proration_behavior: "always_invoice" });
    expect(await latest(member.id)).toMatchObject({ total: 1_400 - 2_800 });
    await change(member, 5_600, { proration_behavior: "always_invoice" });
    expect(await latest(member.id)).toMatchObject({ total: 2_800 - 1_400 });
    expect(await balanceOf(member.customer)).toBe(0);
  });

  it("a discount reduces the credit and the debit, and no proration line", async () => {
    const member = await subscribe(2_800);
    await local.control(`subscriptions/${member.id}`, { coupon: { percent_off: 50, duration: "forever" } });
    await local.control("advance", { days: 28 });
    await local.control("advance", { days: 15.5 });
    await change(member, 5_600, { proration_behavior: "always_invoice" });
    const invoice = await latest(member.id);
    expect(linesOf(invoice).map((line) => line.split(": ")[1])).toEqual(["1400", "-700"]);
    expect(invoice).toMatchObject({ subtotal: 700, total: 700 });
  });
});

describe("pending prorations", () => {
  it("pending prorations are removed when the subscription is canceled immediately", async () => {
    const member = await subscribe();
    await change(member, 5_600);
    await local.stripe.subscriptions.cancel(member.id);
    expect((await local.stripe.invoiceItems.list()).data).toEqual([]);
  });

  it("pending prorations are billed when the subscription ends with its period", async () => {
    const member = await subscribe();
    await local.control("advance", { days: 14 });
    await change(member, 5_600);
    await local.stripe.subscriptions.update(member.id, { cancel_at_period_end: true });
    await local.control("advance", { days: 14 });
    expect(await latest(member.id)).toMatchObject({ total: 1_400, status: "paid" });
    expect((await local.stripe.subscriptions.retrieve(member.id)).status).toBe("canceled");
  });
});

describe("a change that is refused", () => {
  it.each([
    { params: { proration_behavior: "none", proration_date: start / 1000 + 1 }, message: "proration_date" },
    { params: { proration_date: start / 1000 - 1 }, message: "outside of the current subscription period" },
    { params: { proration_date: start / 1000 + 29 * seconds }, message: "outside of the current subscription period" },
  ] as const)("an update with an invalid proration_date is refused: $params", async ({ params, message }) => {
    const member = await subscribe();
    expect(await refusal(change(member, 5_600, params))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("a change that has to be paid now is refused without a card", async () => {
    const { id: customer } = await local.stripe.customers.create({});
    const price = await aPrice(local.stripe, 0);
    const { id, items } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    const params = { billing_cycle_anchor: { type: "now" } } as const;
    expect(await refusal(change({ customer, id, item: idOf(items.data[0]) }, 2_800, params))).toMatchObject({
      status: 400,
      code: "resource_missing",
    });
    expect((await local.stripe.invoices.list({ customer })).data).toHaveLength(1);
  });
});
