import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { aPrice, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
beforeEach(() => local.control("faults", { settle_days: 4 }));
afterEach(() => local.control("reset"));

async function aSubscription(): Promise<{ customer: string; id: string }> {
  const card = "pm_card_visa";
  const settings = { payment_method: card, invoice_settings: { default_payment_method: card } };
  const { id: customer } = await local.stripe.customers.create(settings);
  const price = await aPrice(local.stripe, 2500);
  const { id } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
  return { customer, id };
}

/** The statuses of the newest subscription, invoice and charge of a customer. */
async function statusesOf({ customer, id }: { customer: string; id: string }) {
  const [invoice] = (await local.stripe.invoices.list({ customer })).data;
  const [charge] = (await local.stripe.charges.list({ customer })).data;
  const { status } = await local.stripe.subscriptions.retrieve(id);
  return [status, invoice?.status, charge?.status];
}

const invoiceOf = async (customer: string): Promise<Stripe.Invoice> => {
  const [invoice] = (await local.stripe.invoices.list({ customer })).data;
  if (!invoice) throw new Error("The customer has no invoice");
  return invoice;
};

describe("a payment that settles late", () => {
  it("a payment that settles late is pending while the subscription is active, and then succeeds", async () => {
    const made = await aSubscription();
    expect(await statusesOf(made)).toEqual(["active", "open", "pending"]);
    await local.control("advance", { days: 5 });
    expect(await statusesOf(made)).toEqual(["active", "paid", "succeeded"]);
  });

  it("a payment that settles late can fail, and then the subscription is past due", async () => {
    await local.control("faults", { settle_as: "failed" });
    const made = await aSubscription();
    await local.control("advance", { days: 5 });
    expect(await statusesOf(made)).toEqual(["past_due", "open", "failed"]);
  });

  it("an invoice with a pending payment cannot be paid outside Stripe, as it would be paid twice", async () => {
    const made = await aSubscription();
    const { id } = await invoiceOf(made.customer);
    await expect(local.control(`invoices/${id}`, { paid_out_of_band: true })).rejects.toThrow("processing");
    await local.control("advance", { days: 5 });
    expect(await statusesOf(made)).toEqual(["active", "paid", "succeeded"]);
  });

  it("an invoice with a pending payment is neither retried nor paid again", async () => {
    await local.control("faults", { settle_days: 0 });
    const made = await aSubscription();
    await local.control("faults", { decline: true });
    await local.control("advance", { days: 31 });
    // The next retry is due within five days.
    await local.control("faults", { decline: 0, settle_days: 6 });
    const { id } = await invoiceOf(made.customer);
    await local.stripe.invoices.pay(id);
    expect(await refusal(local.stripe.invoices.pay(id))).toMatchObject({ status: 400 });
    await local.control("advance", { days: 12 });
    const { data } = await local.stripe.charges.list({ customer: made.customer });
    expect(data.filter(({ status }) => status !== "failed").map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
    ]);
    expect(await statusesOf(made)).toEqual(["active", "paid", "succeeded"]);
  });

  it("a pending payment settles after the subscription was canceled, and its invoice cannot be voided before", async () => {
    const made = await aSubscription();
    await local.stripe.subscriptions.cancel(made.id);
    const { id } = await invoiceOf(made.customer);
    expect(await refusal(local.stripe.invoices.voidInvoice(id))).toMatchObject({ status: 400 });
    await local.control("advance", { days: 5 });
    expect(await statusesOf(made)).toEqual(["canceled", "paid", "succeeded"]);
  });
});

describe("an open invoice", () => {
  it("an open invoice is not collected after a cancellation of another subscription, until collection is enabled again", async () => {
    await local.control("faults", { settle_days: 0, decline: true });
    const card = "pm_card_visa";
    const settings = { payment_method: card, invoice_settings: { default_payment_method: card } };
    const { id: customer } = await local.stripe.customers.create(settings);
    const price = await aPrice(local.stripe, 2500);
    await local.control("faults", { decline: 0 });
    const kept = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    const other = await local.stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 60 });
    await local.control("faults", { decline: true });
    await local.control("advance", { days: 31 });
    await local.control("faults", { decline: 0 });
    await local.stripe.subscriptions.cancel(other.id);
    const { id, auto_advance } = await invoiceOf(customer);
    expect(auto_advance).toBe(false);
    await local.control("advance", { days: 10 });
    expect((await local.stripe.subscriptions.retrieve(kept.id)).status).toBe("past_due");

    await local.stripe.invoices.update(id, { auto_advance: true });
    await local.control("advance", { days: 2 });
    expect((await local.stripe.subscriptions.retrieve(kept.id)).status).toBe("active");
  });

  it("an open invoice is not collected once its customer is deleted, even if collection was enabled again", async () => {
    await local.control("faults", { settle_days: 0 });
    const { customer, id: subscription } = await aSubscription();
    await local.control("faults", { decline: true });
    await local.control("advance", { days: 31 });
    await local.control("faults", { decline: 0 });
    await local.stripe.subscriptions.cancel(subscription);
    const { id } = await invoiceOf(customer);
    await local.stripe.invoices.update(id, { auto_advance: true });
    await local.stripe.customers.del(customer);
    expect((await local.stripe.invoices.retrieve(id)).auto_advance).toBe(false);
    await local.stripe.invoices.update(id, { auto_advance: true });
    await local.control("advance", { days: 2 });
    expect((await local.stripe.invoices.retrieve(id)).status).toBe("open");
  });

  it("a voided invoice cannot be paid or voided again", async () => {
    await local.control("faults", { settle_days: 0 });
    const made = await aSubscription();
    const price = await aPrice(local.stripe, 2500);
    const { customer } = made;
    await local.stripe.subscriptions.create({ customer, items: [{ price }], payment_behavior: "default_incomplete" });
    const [id] = (await local.stripe.invoices.list({ customer, status: "open" })).data.map((one) => one.id);
    expect(await local.stripe.invoices.voidInvoice(id ?? "")).toMatchObject({ status: "void" });
    for (const again of [local.stripe.invoices.voidInvoice(id ?? ""), local.stripe.invoices.pay(id ?? "")])
      expect(await refusal(again)).toMatchObject({ status: 400 });
  });
});
