import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { aPrice, aSubscriber, eventsOf, eventually, idOf, refusal, there, useTarget } from "../target.ts";

/**
 * Changes of subscriptions. A title that names a setting is about behavior that Stripe does not document: if the test
 * fails against Stripe, change the default of that setting.
 */
const target = useTarget();

const always = { proration_behavior: "always_invoice" } as const;
const now = { type: "now" } as const;

const itemOf = ({ items }: Stripe.Subscription) => there(items.data[0]);
const latest = async (subscription: string) =>
  there((await target.stripe.invoices.list({ subscription, limit: 1 })).data[0]);

/** A subscriber halfway through the first month, also with a card that fails from then on. */
async function subscriber(failing?: string) {
  const { customer, subscription } = await aSubscriber(target);
  if (failing !== undefined) {
    const card = await target.stripe.paymentMethods.attach(failing, { customer: customer.id });
    await target.stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
  }
  await target.pass(customer, 14);
  return { customer, subscription, item: itemOf(subscription).id };
}

type Changed = { readonly subscription: Stripe.Subscription; readonly item: string };
async function change(
  { subscription, item }: Changed,
  amount: number,
  { interval = "month", ...params }: Stripe.SubscriptionUpdateParams & { interval?: "month" | "year" },
) {
  const price = await aPrice(target.stripe, amount, interval);
  return target.stripe.subscriptions.update(subscription.id, { items: [{ id: item, price }], ...params });
}

const free = async () => {
  const customer = await target.stripe.customers.create({});
  const price = await aPrice(target.stripe, 0);
  const subscription = await target.stripe.subscriptions.create({ customer: customer.id, items: [{ price }] });
  return { customer, subscription, item: itemOf(subscription).id };
};

describe("a proration", () => {
  it("the preview of a change and its invoice have the same lines, by the second", async () => {
    const member = await subscriber();
    const { current_period_start: from, current_period_end: to } = itemOf(member.subscription);
    const date = from + 14 * 86_400 - 60;
    const items = [{ id: member.item, price: await aPrice(target.stripe, 5_000) }];
    const details = { items, ...always, proration_date: date };
    const preview = await target.stripe.invoices.createPreview({
      subscription: member.subscription.id,
      subscription_details: details,
    });
    await target.stripe.subscriptions.update(member.subscription.id, details);
    const invoice = await latest(member.subscription.id);
    const amounts = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount).toSorted((a, b) => a - b);
    expect(amounts(invoice)).toEqual(amounts(preview));
    const share = (to - date) / (to - from);
    expect(amounts(invoice)).toEqual([-Math.round(2_500 * share), Math.round(5_000 * share)]);
    expect(invoice).toMatchObject({ billing_reason: "subscription_update", status: "paid" });
    expect(invoice.lines.data.every(({ parent }) => parent?.subscription_item_details?.proration === true)).toBe(true);
  });

  it("a negative total becomes credit, in a transaction of type invoice_too_small", async () => {
    const member = await subscriber();
    await change(member, 100, always);
    const invoice = await latest(member.subscription.id);
    expect(invoice.total).toBeLessThan(0);
    expect(invoice).toMatchObject({
      amount_due: 0,
      status: "paid",
      starting_balance: 0,
      ending_balance: invoice.total,
    });
    expect(await target.stripe.customers.retrieve(member.customer.id)).toMatchObject({ balance: invoice.total });
    const { data } = await target.stripe.customers.listBalanceTransactions(member.customer.id);
    expect(data).toMatchObject([{ type: "invoice_too_small", amount: invoice.total, invoice: invoice.id }]);
  });

  it("billing_cycle_anchor now starts a year, less what is left of the month", async () => {
    const member = await subscriber();
    const changed = await change(member, 25_000, { interval: "year", billing_cycle_anchor: now });
    const invoice = await latest(member.subscription.id);
    expect(invoice.lines.data.map(({ amount }) => Math.sign(amount)).toSorted((a, b) => a - b)).toEqual([-1, 1]);
    expect(invoice.subtotal).toBeLessThan(25_000);
    expect(itemOf(changed).current_period_start).toBe(changed.billing_cycle_anchor);
  });

  it("billing_date: another interval without billing_cycle_anchor keeps the billing date", async () => {
    const member = await subscriber();
    const changed = await change(member, 25_000, { interval: "year" });
    expect(changed.billing_cycle_anchor).toBe(member.subscription.billing_cycle_anchor);
  });

  it("billing_date: the first price that is not free keeps the billing date", async () => {
    const member = await free();
    const card = await target.stripe.paymentMethods.attach("pm_card_visa", { customer: member.customer.id });
    await target.stripe.customers.update(member.customer.id, { invoice_settings: { default_payment_method: card.id } });
    const changed = await change(member, 2_500, { proration_behavior: "none" });
    expect(await latest(member.subscription.id)).toMatchObject({ billing_reason: "subscription_create" });
    expect(changed.billing_cycle_anchor).toBe(member.subscription.billing_cycle_anchor);
  });
});

describe("a change that is not paid", () => {
  const pending = { ...always, payment_behavior: "pending_if_incomplete" } as const;

  it.each(["pm_card_chargeCustomerFail", "pm_card_authenticationRequired"])(
    "pending_if_incomplete keeps the old price until the invoice is paid: %s",
    async (card) => {
      const member = await subscriber(card);
      const changed = await change(member, 5_000, { ...pending, metadata: { tier: "gold" } });
      expect(changed).toMatchObject({ status: "active", pending_update: { metadata: { tier: "gold" } } });
      expect(itemOf(changed).price.unit_amount).toBe(2_500);
      const good = await target.stripe.paymentMethods.attach("pm_card_visa", { customer: member.customer.id });
      await target.stripe.invoices.pay(idOf(changed.latest_invoice), { payment_method: good.id });
      const applied = await target.stripe.subscriptions.retrieve(changed.id);
      expect(applied).toMatchObject({ pending_update: null, metadata: { tier: "gold" } });
      expect(itemOf(applied).price.unit_amount).toBe(5_000);
      await eventually(async () => {
        const types = await eventsOf(target.stripe, member.customer.id);
        expect(types).toContain("customer.subscription.pending_update_applied");
      });
    },
  );

  it("a pending update expires after 23 hours, and its invoice is voided", async () => {
    const member = await subscriber("pm_card_chargeCustomerFail");
    const changed = await change(member, 5_000, pending);
    await target.pass(member.customer, 1);
    expect(await target.stripe.subscriptions.retrieve(changed.id)).toMatchObject({ pending_update: null });
    expect(await target.stripe.invoices.retrieve(idOf(changed.latest_invoice))).toMatchObject({ status: "void" });
  });

  it("a pending update refuses other parameters", async () => {
    const member = await subscriber();
    expect(await refusal(change(member, 5_000, { ...pending, description: "d" }))).toMatchObject({ status: 400 });
  });

  it("canceled_pending_update: a cancellation at the end of the period keeps a pending update", async () => {
    const member = await subscriber("pm_card_chargeCustomerFail");
    await change(member, 5_000, pending);
    const { id } = member.subscription;
    await target.stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect((await target.stripe.subscriptions.retrieve(id)).pending_update).not.toBeNull();
  });

  it("pending_without_card: from free to paid without a card, pending_if_incomplete is refused", async () => {
    const member = await free();
    const refused = change(member, 2_500, { ...pending, billing_cycle_anchor: now });
    expect(await refusal(refused)).toMatchObject({ status: 400, code: "resource_missing" });
  });

  it("refused_change: error_if_incomplete changes nothing, and leaves a voided invoice", async () => {
    const member = await subscriber("pm_card_chargeCustomerFail");
    const refused = change(member, 5_000, { ...always, payment_behavior: "error_if_incomplete" });
    expect(await refusal(refused)).toMatchObject({ status: 402, code: "card_declined" });
    const { id } = member.subscription;
    expect(itemOf(await target.stripe.subscriptions.retrieve(id)).price.unit_amount).toBe(2_500);
    const { data } = await target.stripe.invoices.list({ subscription: id });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
  });

  it("allow_incomplete applies the change, past due", async () => {
    const member = await subscriber("pm_card_chargeCustomerFail");
    const changed = await change(member, 5_000, always);
    expect(changed.status).toBe("past_due");
    expect(itemOf(changed).price.unit_amount).toBe(5_000);
  });
});

describe("a schedule", () => {
  it("a schedule changes the price at the end of the period", async () => {
    const { customer, subscription } = await aSubscriber(target);
    const schedule = await target.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    const again = target.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    expect(await refusal(again)).toMatchObject({ status: 400 });
    const [current] = schedule.phases;
    const price = await aPrice(target.stripe, 1_000);
    const repeated = {
      items: [{ price: idOf(current?.items[0]?.price), quantity: 1 }],
      start_date: there(current).start_date,
      end_date: there(current).end_date,
    };
    await target.stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: "release",
      phases: [repeated, { items: [{ price }], proration_behavior: "none" }],
    });
    const canceling = target.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect(await refusal(canceling)).toMatchObject({
      status: 400,
      message: expect.stringContaining("managed by the subscription schedule"),
    });
    await target.pass(customer, 32);
    const invoice = await latest(subscription.id);
    expect(invoice).toMatchObject({ total: 1_000, billing_reason: "subscription_cycle" });
  });

  it("archived_current_price: an archived price in the current phase is refused", async () => {
    const { subscription } = await aSubscriber(target);
    const { id, phases } = await target.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    const { start_date, end_date, items } = there(phases[0]);
    const current = idOf(items[0]?.price);
    await target.stripe.prices.update(current, { active: false });
    const next = { items: [{ price: await aPrice(target.stripe, 1_000) }] };
    const repeated = { items: [{ price: current, quantity: 1 }], start_date, end_date };
    expect(await refusal(target.stripe.subscriptionSchedules.update(id, { phases: [repeated, next] }))).toMatchObject({
      status: 400,
      message: "The price specified is inactive. This field only accepts active prices.",
    });
  });

  it("the start of the current phase cannot be changed", async () => {
    const { subscription } = await aSubscriber(target);
    const { id, phases } = await target.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
    const items = [{ price: idOf(phases[0]?.items[0]?.price) }];
    const moved = { items, start_date: there(phases[0]).start_date + 1, end_date: there(phases[0]).end_date };
    expect(await refusal(target.stripe.subscriptionSchedules.update(id, { phases: [moved] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("You can not modify the start date of the current phase"),
    });
  });
});
