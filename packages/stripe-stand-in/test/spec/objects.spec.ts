import type Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "../../src/core/state.ts";
import { start, useLocalStripe } from "../local.ts";
import { aPrice, idOf, there } from "../target.ts";
import { validatorOf } from "./json-schema.ts";
import { readSpec } from "./stripe-mock.ts";

const local = useLocalStripe({ now: () => start });

const kinds: Kind[] = [
  "customer",
  "payment_method",
  "product",
  "price",
  "subscription",
  "subscription_schedule",
  "invoice",
  "invoice_payment",
  "invoiceitem",
  "customer_balance_transaction",
  "payment_intent",
  "charge",
  "refund",
  "dispute",
  "checkout.session",
  "billing_portal.session",
  "webhook_endpoint",
  "event",
];

/** Creates objects of many types and states. */
async function live(stripe: Stripe): Promise<void> {
  const price = await aPrice(stripe);
  const yearly = await aPrice(stripe, 25_000, "year");
  const shipping = { name: "Ada", address: { line1: "1 Main St", city: "Oaxaca", country: "MX" } };
  for (const card of ["pm_card_visa", "pm_card_createDispute", "pm_card_refundFail", "pm_card_pendingRefund"]) {
    const { id: customer } = await stripe.customers.create({
      email: "ada@example.com",
      payment_method: card,
      invoice_settings: { default_payment_method: card },
      shipping,
    });
    const trial = card === "pm_card_visa" ? { trial_period_days: 5 } : {};
    const subscription = await stripe.subscriptions.create({ customer, items: [{ price }], ...trial });
    const [charge] = (await stripe.charges.list({ customer })).data;
    if (charge && !charge.disputed)
      await stripe.refunds.create({ charge: charge.id, amount: 100, reason: "duplicate" });
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: card === "pm_card_refundFail" });
    if (card === "pm_card_refundFail")
      await local.control(`subscriptions/${subscription.id}`, {
        schedule: { phases: [{ price, starts_in_days: 5 }] },
        pause_collection: { behavior: "keep_as_draft" },
      });
  }
  const { id: customer } = await stripe.customers.create({});
  const payment = { payment_method: "pm_card_visa", invoice_settings: { default_payment_method: "pm_card_visa" } };
  const { id: yearlyCustomer } = await stripe.customers.create(payment);
  const member = await stripe.subscriptions.create({ customer: yearlyCustomer, items: [{ price: yearly }] });
  const items = [{ id: idOf(member.items.data[0]), price }];
  await stripe.subscriptions.update(member.id, { items, billing_cycle_anchor: { type: "now" } });
  const dearer = [{ id: idOf(member.items.data[0]), price: await aPrice(stripe, 5_000) }];
  await stripe.subscriptions.update(member.id, { items: dearer, proration_behavior: "create_prorations" });
  const confirmed = await stripe.paymentMethods.attach("pm_card_authenticationRequired", { customer: yearlyCustomer });
  await stripe.customers.update(yearlyCustomer, { invoice_settings: { default_payment_method: confirmed.id } });
  await stripe.subscriptions.update(member.id, {
    items: [{ id: idOf(member.items.data[0]), price: await aPrice(stripe, 100_000) }],
    payment_behavior: "pending_if_incomplete",
    proration_behavior: "always_invoice",
    metadata: { tier: "gold" },
  });
  const scheduled = await stripe.subscriptionSchedules.create({ from_subscription: member.id });
  const [phase] = scheduled.phases;
  const current = { items: [{ price }], start_date: there(phase).start_date, end_date: there(phase).end_date };
  const { id: later } = await stripe.subscriptionSchedules.update(scheduled.id, {
    phases: [current, { items: [{ price: yearly }], billing_cycle_anchor: "phase_start", metadata: { tier: "gold" } }],
  });
  await stripe.subscriptionSchedules.release(later);
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price, quantity: 1 }],
    success_url: "https://example.com/",
    shipping_address_collection: { allowed_countries: ["MX"] },
  });
  await expect(local.control(`checkout/${session.id}/complete`, { shipping, decline: true })).rejects.toThrow("402");
  await local.control(`checkout/${session.id}/complete`, { shipping });
  const configuration = await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  });
  await stripe.billingPortal.sessions.create({ customer, configuration: configuration.id });
  await stripe.webhookEndpoints.create({ url: "http://127.0.0.1:9/", enabled_events: ["charge.captured"] });
  await local.control("advance", { days: 20 });
  await local.control("faults", { decline: true });
  await local.control("advance", { days: 9 });
  const [first] = (await stripe.charges.list({ customer })).data;
  await local.control("disputes", { charge: idOf(there(first)), status: "warning_needs_response" }).catch(() => ({}));
  await stripe.customers.del(customer);
}

describe("what Stripe says that its objects are", () => {
  let problems: (name: string, object: unknown) => string[];
  beforeAll(async () => {
    problems = validatorOf(readSpec().components.schemas);
    await live(local.stripe);
  });

  it.each(kinds)("the object matches Stripe's specification: %s", (kind) => {
    const rows = local.server.act((account) => [...account.rows(kind)]);
    expect(rows.length).toBeGreaterThan(0);
    const found = rows.flatMap((row) => {
      const object = JSON.parse(JSON.stringify(row)) as { object: string };
      return problems("deleted" in row && row.deleted ? "deleted_customer" : kind, withOffStripe(object));
    });
    expect([...new Set(found)]).toEqual([]);
  });

  it("the objects in events match Stripe's specification", () => {
    const events = local.server.act((account) => [...account.rows("event")]);
    const found = events.flatMap(({ data }) => {
      const object = JSON.parse(JSON.stringify(data.object)) as { object: string };
      return problems(object.object, withOffStripe(object));
    });
    expect([...new Set(found)]).toEqual([]);
  });
});

/**
 * Adds a property that Stripe's OpenAPI description requires on invoices, although Stripe's changelog says that it is
 * returned only if expanded.
 */
const withOffStripe = (object: { readonly object?: string }): object =>
  object.object === "invoice" ? { amount_paid_off_stripe: 0, ...object } : object;
