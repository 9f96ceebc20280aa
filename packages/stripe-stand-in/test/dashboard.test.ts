import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { aPrice, idOf, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });

async function aCustomer(): Promise<string> {
  const card = "pm_card_visa";
  const settings = { payment_method: card, invoice_settings: { default_payment_method: card } };
  return (await local.stripe.customers.create(settings)).id;
}

describe("the dashboard", () => {
  it("the dashboard control creates a payment without an invoice", async () => {
    const customer = await aCustomer();
    await local.control("charges", { customer, amount: 700 });
    expect((await local.stripe.charges.list({ customer })).data).toMatchObject([{ amount: 700, status: "succeeded" }]);
    expect((await local.stripe.invoices.list({ customer })).data).toEqual([]);
  });

  it("the dashboard control starts a subscription without metadata, in one currency per customer", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe);
    const made = (await local.control("subscriptions", { customer, price })) as Stripe.Subscription;
    expect(made).toMatchObject({ status: "active", metadata: {} });
    const euro = await local.stripe.prices.create({
      currency: "eur",
      unit_amount: 500,
      recurring: { interval: "month" },
      product_data: { name: "Cask" },
    });
    expect(await refusal(local.stripe.subscriptions.create({ customer, items: [{ price: euro.id }] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("You cannot combine currencies on a single customer"),
    });
  });

  it("the dashboard control deletes a customer", async () => {
    const customer = await aCustomer();
    await local.control(`customers/${customer}`, { delete: true });
    expect(await local.stripe.customers.retrieve(customer)).toMatchObject({ deleted: true });
  });

  it("the dashboard control pauses a subscription, which is not billed until it is resumed, and then for a new period", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 2500);
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    await local.control(`subscriptions/${id}`, { paused: "pause_requested" });
    expect(await local.stripe.subscriptions.retrieve(id)).toMatchObject({
      status: "paused",
      status_details: { paused: { type: "subscription", subscription: { type: "pause_requested" } } },
    });
    await local.control("advance", { days: 45 });
    expect((await local.stripe.invoices.list({ customer })).data).toHaveLength(1);
    await local.control(`subscriptions/${id}`, { paused: null });
    const resumed = await local.stripe.subscriptions.retrieve(id);
    expect(resumed).toMatchObject({
      status: "active",
      items: { data: [{ current_period_start: resumed.billing_cycle_anchor }] },
    });
    expect(resumed.status_details).toBeUndefined();
    expect((await local.stripe.invoices.list({ customer })).data).toHaveLength(2);
    await local.control("advance", { days: 32 });
    expect((await local.stripe.invoices.list({ customer })).data).toHaveLength(3);
  });

  it("the dashboard control marks an invoice as paid outside Stripe, and returns the amount only on request", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 2500);
    await local.stripe.subscriptions.create({
      customer,
      items: [{ price }],
      payment_behavior: "default_incomplete",
    });
    const [invoice] = (await local.stripe.invoices.list({ customer })).data;
    await local.control(`invoices/${invoice?.id}`, { paid_out_of_band: true });
    const [plain] = (await local.stripe.invoices.list({ customer })).data;
    expect(plain).toMatchObject({ status: "paid" });
    expect(plain?.amount_paid_off_stripe).toBeUndefined();
    const expand = ["data.amount_paid_off_stripe", "data.payments"];
    expect((await local.stripe.invoices.list({ customer, expand })).data).toMatchObject([
      {
        amount_paid_off_stripe: 2500,
        payments: { data: [{ payment: { type: "payment_record" } }, { status: "canceled" }] },
      },
    ]);
    expect((await local.stripe.charges.list({ customer })).data).toEqual([]);
  });
});

describe("a changed subscription", () => {
  it("a changed subscription is billed for its quantity less its coupons from the next invoice on, and a one-time coupon once", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 1000);
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    await local.control(`subscriptions/${id}`, { quantity: 3, coupon: { percent_off: 50, duration: "forever" } });
    await local.control(`subscriptions/${id}`, { coupon: { amount_off: 100, duration: "once" } });
    await local.control("advance", { days: 62 });
    const { data } = await local.stripe.invoices.list({ customer });
    expect(data.map(({ total }) => total)).toEqual([1500, 1400, 1000]);
    const expand = ["data.discounts.source.coupon"];
    const [subscription] = (await local.stripe.subscriptions.list({ customer, expand })).data;
    expect(subscription?.discounts).toMatchObject([{ source: { coupon: { percent_off: 50 } } }]);
  });

  it("a subscription with paused collection is not collected", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 1000);
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    await local.control(`subscriptions/${id}`, { pause_collection: { behavior: "void" } });
    await local.control("advance", { days: 31 });
    const { data } = await local.stripe.invoices.list({ customer });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
    expect(await local.stripe.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
  });

  it("an invoice that is void because collection is paused uses none of the customer's balance", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 1000);
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    await local.stripe.customers.createBalanceTransaction(customer, { amount: -2500, currency: "usd" });
    await local.control(`subscriptions/${id}`, { pause_collection: { behavior: "void" } });
    await local.control("advance", { days: 31 });
    const { data } = await local.stripe.invoices.list({ customer });
    expect(data[0]).toMatchObject({ status: "void", amount_due: 1000, amount_paid: 0 });
    expect(await local.stripe.customers.retrieve(customer)).toMatchObject({ balance: -2500 });
    await local.control(`subscriptions/${id}`, { pause_collection: null });
    await local.control("advance", { days: 31 });
    expect(await local.stripe.customers.retrieve(customer)).toMatchObject({ balance: -1500 });
  });

  it("a subscription with paused collection creates drafts, which can be finalized and voided but are never collected", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 1000);
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    await local.control(`subscriptions/${id}`, { pause_collection: { behavior: "keep_as_draft" } });
    await local.control("advance", { days: 31 });
    await local.control(`subscriptions/${id}`, { pause_collection: null });
    await local.control("advance", { days: 10 });
    const [draft] = (await local.stripe.invoices.list({ customer })).data;
    expect(draft).toMatchObject({ status: "draft", number: null, auto_advance: false, amount_due: 1000 });
    const invoice = draft?.id ?? "";
    expect(await refusal(local.stripe.invoices.voidInvoice(invoice))).toMatchObject({ status: 400 });
    expect(await local.stripe.invoices.finalizeInvoice(invoice, { auto_advance: false })).toMatchObject({
      status: "open",
    });
    expect(await local.stripe.invoices.voidInvoice(invoice)).toMatchObject({ status: "void" });
  });
});

describe("a subscription schedule", () => {
  async function scheduled() {
    const customer = await aCustomer();
    const [price, next] = [await aPrice(local.stripe, 1000), await aPrice(local.stripe, 400)];
    const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    const phases = [{ price: next, starts_in_days: 20 }];
    const subscription = (await local.control(`subscriptions/${id}`, { schedule: { phases } })) as Stripe.Subscription;
    return { customer, id, next, schedule: idOf(subscription.schedule) };
  }

  it("a subscription whose first invoice is not paid cannot be scheduled", async () => {
    const customer = await aCustomer();
    const price = await aPrice(local.stripe, 1000);
    const { id } = await local.stripe.subscriptions.create({
      customer,
      items: [{ price }],
      payment_behavior: "default_incomplete",
    });
    const phases = [{ price, starts_in_days: 0 }];
    await expect(local.control(`subscriptions/${id}`, { schedule: { phases } })).rejects.toThrow("that is incomplete");
  });

  it("a subscription schedule changes the price at its time, and is released at its end", async () => {
    const { customer, id, next, schedule } = await scheduled();
    await local.control("advance", { days: 32 });
    const expand = ["schedule"];
    expect(await local.stripe.subscriptions.retrieve(id, { expand })).toMatchObject({
      items: { data: [{ price: { id: next } }] },
      schedule: { id: schedule, status: "active" },
    });
    expect((await local.stripe.invoices.list({ customer })).data.map(({ total }) => total)).toEqual([400, 1000]);
    await local.control("advance", { days: 31 });
    expect(await local.stripe.subscriptions.retrieve(id)).toMatchObject({ schedule: null });
    expect(await local.stripe.subscriptionSchedules.retrieve(schedule)).toMatchObject({
      status: "released",
      released_subscription: id,
    });
  });

  it("a subscription schedule refuses all changes of the subscription's end until it is released, which keeps the price", async () => {
    const { id, schedule } = await scheduled();
    const refused = { status: 400, message: expect.stringContaining("managed by the subscription schedule") };
    expect(await refusal(local.stripe.subscriptions.update(id, { cancel_at_period_end: true }))).toMatchObject(refused);
    expect(await refusal(local.stripe.subscriptions.cancel(id))).toMatchObject(refused);
    await local.stripe.subscriptionSchedules.release(schedule);
    expect(await refusal(local.stripe.subscriptionSchedules.release(schedule))).toMatchObject({ status: 400 });
    expect(await local.stripe.subscriptions.update(id, { cancel_at_period_end: true })).toMatchObject({
      cancel_at_period_end: true,
      items: { data: [{ price: { unit_amount: 1000 } }] },
    });
  });

  it("a subscription schedule ends when its customer is deleted", async () => {
    const { customer, schedule } = await scheduled();
    await local.control(`customers/${customer}`, { delete: true });
    expect(await local.stripe.subscriptionSchedules.retrieve(schedule)).toMatchObject({ status: "canceled" });
  });
});
