import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clientOf } from "../local.ts";
import { startStripeMock } from "./stripe-mock.ts";

let folder: string;
let mock: Awaited<ReturnType<typeof startStripeMock>> | undefined;
let stripe: Stripe;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stripe-stand-in-"));
  mock = await startStripeMock(folder);
  stripe = clientOf(mock.url);
});
afterAll(async () => {
  mock?.stop();
  await rm(folder, { recursive: true, force: true });
});

type Row = { what: string; call: () => Promise<unknown> };

const address = { line1: "1 Main St", line2: "2", city: "Oaxaca", state: "OAX", postal_code: "68000", country: "MX" };
const recurring = { interval: "month" as const, interval_count: 1 };
const paging = { limit: 100, starting_after: "x_1", created: { gte: 1, lt: 2 } };

const rows: Row[] = [
  {
    what: "make a customer",
    call: () =>
      stripe.customers.create({
        email: "ada@example.com",
        name: "Ada",
        phone: "1",
        description: "d",
        address,
        shipping: { name: "Ada", phone: "1", address },
        metadata: { user_id: "7" },
        payment_method: "pm_card_visa",
        invoice_settings: { default_payment_method: "pm_card_visa" },
      }),
  },
  { what: "change a customer", call: () => stripe.customers.update("cus_1", { shipping: "", metadata: { a: "" } }) },
  { what: "find customers", call: () => stripe.customers.list({ email: "ada@example.com", ...paging }) },
  { what: "delete a customer", call: () => stripe.customers.del("cus_1") },
  { what: "give a customer a card", call: () => stripe.paymentMethods.attach("pm_1", { customer: "cus_1" }) },
  {
    what: "make a product",
    call: () =>
      stripe.products.create({
        name: "Gold plan",
        active: true,
        description: "d",
        metadata: { plan_id: "1" },
        default_price_data: { currency: "usd", unit_amount: 2_500, recurring, metadata: { a: "b" } },
      }),
  },
  {
    what: "change a product",
    call: () => stripe.products.update("prod_1", { name: "n", active: false, default_price: "price_1" }),
  },
  {
    what: "make a price",
    call: () =>
      stripe.prices.create({
        product: "prod_1",
        currency: "usd",
        unit_amount: 2_500,
        recurring,
        nickname: "n",
        lookup_key: "k",
        metadata: { a: "b" },
      }),
  },
  { what: "change a price", call: () => stripe.prices.update("price_1", { active: false, nickname: "n" }) },
  {
    what: "subscribe",
    call: () =>
      stripe.subscriptions.create({
        customer: "cus_1",
        items: [{ price: "price_1", quantity: 1 }],
        default_payment_method: "pm_1",
        payment_behavior: "default_incomplete",
        trial_period_days: 7,
        cancel_at_period_end: true,
        description: "d",
        metadata: { a: "b" },
        off_session: true,
        payment_settings: { save_default_payment_method: "on_subscription" },
        automatic_tax: { enabled: true, liability: { type: "self" } },
        default_tax_rates: ["txr_1"],
      }),
  },
  {
    what: "cancel at the period's end",
    call: () =>
      stripe.subscriptions.update("sub_1", {
        cancel_at_period_end: true,
        cancellation_details: { comment: "c", feedback: "unused" },
      }),
  },
  { what: "cancel at a time", call: () => stripe.subscriptions.update("sub_1", { cancel_at: "min_period_end" }) },
  { what: "take that back", call: () => stripe.subscriptions.update("sub_1", { cancel_at: "" }) },
  {
    what: "change the price",
    call: () =>
      stripe.subscriptions.update("sub_1", {
        items: [{ id: "si_1", price: "price_2" }],
        proration_behavior: "none",
        default_payment_method: "pm_1",
      }),
  },
  {
    what: "change the price with a proration",
    call: () =>
      stripe.subscriptions.update("sub_1", {
        items: [{ id: "si_1", price: "price_2", quantity: 2 }],
        proration_behavior: "always_invoice",
        proration_date: 1,
        payment_behavior: "pending_if_incomplete",
      }),
  },
  {
    what: "preview a change",
    call: () =>
      stripe.invoices.createPreview({
        customer: "cus_1",
        subscription: "sub_1",
        subscription_details: {
          items: [{ id: "si_1", price: "price_2", quantity: 2 }],
          proration_behavior: "always_invoice",
          proration_date: 1,
        },
      }),
  },
  { what: "preview a schedule", call: () => stripe.invoices.createPreview({ schedule: "sub_sched_1" }) },
  {
    what: "adjust a balance",
    call: () => stripe.customers.createBalanceTransaction("cus_1", { amount: -100, currency: "usd", description: "d" }),
  },
  { what: "list a balance", call: () => stripe.customers.listBalanceTransactions("cus_1", { limit: 100 }) },
  {
    what: "list prorations",
    call: () => stripe.invoiceItems.list({ customer: "cus_1", invoice: "in_1", pending: true, ...paging }),
  },
  {
    what: "put a subscription under a schedule",
    call: () => stripe.subscriptionSchedules.create({ from_subscription: "sub_1" }),
  },
  {
    what: "change the phases of a schedule",
    call: () =>
      stripe.subscriptionSchedules.update("sub_sched_1", {
        end_behavior: "release",
        metadata: { a: "b" },
        proration_behavior: "none",
        phases: [
          {
            items: [{ price: "price_1", quantity: 1, tax_rates: ["txr_1"] }],
            start_date: 1,
            end_date: 2,
            default_tax_rates: ["txr_1"],
            automatic_tax: { enabled: true },
            discounts: [{ discount: "di_1" }],
          },
          {
            items: [{ price: "price_2" }],
            duration: { interval: "month", interval_count: 1 },
            billing_cycle_anchor: "phase_start",
            proration_behavior: "none",
            discounts: "",
            metadata: { a: "" },
          },
        ],
      }),
  },
  {
    what: "cancel a schedule",
    call: () => stripe.subscriptionSchedules.cancel("sub_sched_1", { invoice_now: false, prorate: false }),
  },
  {
    what: "release a schedule",
    call: () => stripe.subscriptionSchedules.release("sub_sched_1", { preserve_cancel_date: true }),
  },
  {
    what: "cancel now",
    call: () =>
      stripe.subscriptions.cancel("sub_1", {
        invoice_now: false,
        prorate: false,
        cancellation_details: { comment: "c", feedback: "other" },
      }),
  },
  {
    what: "list subscriptions",
    call: () => stripe.subscriptions.list({ customer: "cus_1", price: "price_1", status: "all", ...paging }),
  },
  {
    what: "list invoices with their payments",
    call: () =>
      stripe.invoices.list({
        customer: "cus_1",
        subscription: "sub_1",
        status: "paid",
        expand: ["data.payments"],
        ...paging,
      }),
  },
  { what: "pay an invoice", call: () => stripe.invoices.pay("in_1", { payment_method: "pm_1" }) },
  {
    what: "find an intent's invoice",
    call: () =>
      stripe.invoicePayments.list({ payment: { type: "payment_intent", payment_intent: "pi_1" }, status: "paid" }),
  },
  {
    what: "list charges with their refunds",
    call: () => stripe.charges.list({ customer: "cus_1", payment_intent: "pi_1", expand: ["data.refunds"], ...paging }),
  },
  {
    what: "refund a charge",
    call: () =>
      stripe.refunds.create({
        charge: "ch_1",
        amount: 100,
        reason: "requested_by_customer",
        metadata: { order_id: "1" },
        expand: ["charge"],
      }),
  },
  { what: "refund a payment", call: () => stripe.refunds.create({ payment_intent: "pi_1" }) },
  { what: "note something on a refund", call: () => stripe.refunds.update("re_1", { metadata: { a: "b" } }) },
  { what: "list refunds", call: () => stripe.refunds.list({ charge: "ch_1", payment_intent: "pi_1", ...paging }) },
  { what: "list disputes", call: () => stripe.disputes.list({ charge: "ch_1", payment_intent: "pi_1", ...paging }) },
  {
    what: "open a checkout",
    call: () =>
      stripe.checkout.sessions.create({
        mode: "subscription",
        customer: "cus_1",
        customer_update: { address: "auto", name: "auto", shipping: "auto" },
        client_reference_id: "7",
        line_items: [{ price: "price_1", quantity: 1 }],
        success_url: "https://example.com/",
        cancel_url: "https://example.com/",
        shipping_address_collection: { allowed_countries: ["US", "MX"] },
        subscription_data: { metadata: { user_id: "7" }, trial_period_days: 7, description: "d" },
        metadata: { user_id: "7" },
        adaptive_pricing: { enabled: false },
        expires_at: 1,
      }),
  },
  {
    what: "list checkouts",
    call: () => stripe.checkout.sessions.list({ customer: "cus_1", subscription: "sub_1", status: "open", ...paging }),
  },
  { what: "expire a checkout", call: () => stripe.checkout.sessions.expire("cs_1") },
  {
    what: "open the portal",
    call: () => stripe.billingPortal.sessions.create({ customer: "cus_1", return_url: "https://example.com/" }),
  },
  {
    what: "list events",
    call: () => stripe.events.list({ types: ["refund.created"], delivery_success: false, ...paging }),
  },
  {
    what: "add a webhook endpoint",
    call: () =>
      stripe.webhookEndpoints.create({
        url: "https://example.com/",
        enabled_events: ["refund.failed"],
        description: "d",
        metadata: { a: "b" },
      }),
  },
];

it.each(rows)("the parameters to $what match Stripe's specification", async ({ call }) => {
  await expect(call()).resolves.toMatchObject({ object: expect.any(String) });
});
