import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { aPrice, eventsOf, there } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));

const shipping = { name: "Ada", address: { line1: "1 Main St", city: "Oaxaca", postal_code: "68000", country: "MX" } };
const form = { email: "ada@example.com", name: "Ada", ...shipping.address };

let customer: string;
let session: Stripe.Checkout.Session;
const open = async (params: Partial<Stripe.Checkout.SessionCreateParams> = {}) => {
  session = await local.stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    customer_update: { shipping: "auto" },
    line_items: [{ price: await aPrice(local.stripe), quantity: 1 }],
    success_url: "https://example.com/welcome?session={CHECKOUT_SESSION_ID}",
    cancel_url: "https://example.com/back",
    shipping_address_collection: { allowed_countries: ["US", "MX"] },
    subscription_data: { metadata: { user_id: "7" } },
    ...params,
  });
};
beforeEach(async () => {
  ({ id: customer } = await local.stripe.customers.create({ email: "ada@example.com" }));
  await open();
});

const visit = async () => (await fetch(session.url ?? "")).text();
const submit = async (values: Record<string, string>) => {
  const body = new URLSearchParams(values);
  return fetch(`${session.url}/complete`, { method: "POST", body, redirect: "manual" });
};
const complete = (body: object) => local.control(`checkout/${session.id}/complete`, body);
const current = () => local.stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription", "invoice"] });

describe("the checkout page", () => {
  it("the checkout page shows the product, the price and the shipping countries, with a label for every field", async () => {
    const page = await visit();
    expect(page).toContain("no money moves");
    expect(page).toContain("Subscribe to Gold plan");
    expect(page).toContain("Pay $25.00");
    expect(page).toContain('<html lang="en">');
    expect(page).toContain("<option>MX</option>");
    const ids = [...page.matchAll(/<(?:input|select) id="(\w+)"/g)].map(([, id]) => id);
    const labels = [...page.matchAll(/<label for="(\w+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(labels);
    expect(ids).toContain("country");
  });

  it.each([
    ["eur", "Pay €25.00"],
    ["jpy", "Pay ¥2,500"],
  ])("the checkout page shows an amount in %s as %s", async (currency, text) => {
    const product_data = { name: "Gold plan" };
    const amount = { currency, unit_amount: 2_500, recurring: { interval: "month" as const } };
    const { id } = await local.stripe.prices.create({ ...amount, product_data });
    await open({ line_items: [{ price: id, quantity: 1 }] });
    expect(await visit()).toContain(text);
  });

  it("the hosted page escapes HTML in the texts that it shows", async () => {
    await local.stripe.customers.update(customer, { name: `"><script>alert(1)</script>` });
    expect(await visit()).not.toContain("<script>");
  });

  it("the checkout page accepts the payment, stores the address and redirects to the success URL", async () => {
    const response = await submit({ ...form, card: "paid" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`https://example.com/welcome?session=${session.id}`);
    expect(await current()).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      customer,
      subscription: { status: "active", metadata: { user_id: "7" } },
      invoice: { status: "paid", amount_paid: 2_500, customer_shipping: { name: "Ada" } },
      collected_information: { shipping_details: shipping },
    });
    const { shipping: kept } = (await local.stripe.customers.retrieve(customer)) as Stripe.Customer;
    expect(kept).toMatchObject(shipping);
    expect(await visit()).toContain("This checkout is complete.");
  });

  it("the checkout page says when the card is declined, and accepts the next card for the same subscription", async () => {
    const declined = await submit({ ...form, card: "declined" });
    expect(declined.status).toBe(402);
    expect(await declined.text()).toContain('role="alert">Your card was declined.');
    expect(await current()).toMatchObject({ status: "open", subscription: null });
    expect((await local.stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "incomplete" }]);

    await submit({ ...form, card: "paid" });
    expect((await local.stripe.subscriptions.list({ customer, status: "all" })).data).toMatchObject([
      { status: "active" },
    ]);
    const charges = await local.stripe.charges.list({ customer });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    expect((await local.stripe.invoices.list({ customer })).data).toMatchObject([{ status: "paid" }]);
  });
});

describe("completing a session", () => {
  it("completing a session sends the events of a subscription from incomplete to active", async () => {
    await complete({ shipping });
    const events = await eventsOf(local.stripe, customer);
    expect(events).toEqual([
      "customer.created",
      "customer.updated",
      "payment_method.attached",
      "invoice.created",
      "payment_intent.created",
      "invoice.finalized",
      "customer.subscription.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
      "customer.subscription.updated",
      "checkout.session.completed",
    ]);
    const { data } = await local.stripe.events.list({ type: "customer.subscription.*" });
    expect(data.map(({ data: { object } }) => "status" in object && object.status)).toEqual(["active", "incomplete"]);
  });

  it("completing a session also accepts an address as one object, and requires an allowed country", async () => {
    await expect(complete({})).rejects.toThrow("A shipping address is required.");
    await expect(complete({ shipping: { line1: "1 Rue", country: "FR" } })).rejects.toThrow(
      "Nothing is shipped to FR.",
    );
    await complete({ shipping: { name: "Ada", ...shipping.address } });
    expect((await current()).collected_information?.shipping_details).toMatchObject(shipping);
  });

  it("completing a session can be declined, and is possible only once", async () => {
    await expect(complete({ shipping, decline: true })).rejects.toThrow("402");
    await complete({ shipping });
    await expect(complete({ shipping })).rejects.toThrow("This Checkout Session is complete.");
  });

  it("completing a session with a trial begins it without a payment", async () => {
    await open({ subscription_data: { trial_period_days: 14 }, shipping_address_collection: undefined });
    await expect(complete({ decline: true })).rejects.toThrow("402");
    expect((await local.stripe.subscriptions.list({ customer, status: "all" })).data).toEqual([]);
    await complete({});
    expect(await current()).toMatchObject({
      payment_status: "no_payment_required",
      subscription: { status: "trialing" },
      invoice: { status: "paid", amount_paid: 0 },
    });
    await local.control("advance", { days: 14 });
    expect(await current()).toMatchObject({ subscription: { status: "active" } });
  });

  it("completing a session without a customer creates exactly one", async () => {
    await open({ customer: undefined, customer_update: undefined, customer_email: "new@example.com" });
    await expect(complete({ shipping, decline: true })).rejects.toThrow("402");
    await complete({ shipping, name: "Grace" });
    const { data } = await local.stripe.customers.list({ email: "new@example.com" });
    expect(data.map(({ id }) => id)).toEqual([(await current()).customer]);
  });

  it("a session can be completed after its price has been deactivated", async () => {
    const id = await aPrice(local.stripe);
    await open({ line_items: [{ price: id, quantity: 1 }] });
    await local.stripe.prices.update(id, { active: false });
    await complete({ shipping });
    expect(await current()).toMatchObject({ subscription: { status: "active" } });
  });

  it("a session cannot be completed after a day, or after it was expired", async () => {
    await local.control("advance", { days: 1 });
    expect((await current()).status).toBe("expired");
    await expect(complete({ shipping })).rejects.toThrow("This Checkout Session is expired.");
    const { data } = await local.stripe.events.list({ type: "checkout.session.expired" });
    expect(data).toHaveLength(1);
  });

  it("a session can be completed with another card if the incomplete subscription of the first card has expired", async () => {
    await expect(complete({ shipping, decline: true })).rejects.toThrow("402");
    await local.control("advance", { days: 23.5 / 24 });
    await complete({ shipping });
    expect(await current()).toMatchObject({ subscription: { status: "active" } });
  });
});

const allFeatures = {
  customer_update: { enabled: true, allowed_updates: ["shipping" as const] },
  subscription_cancel: { enabled: true },
};

describe("the portal", () => {
  it.each([
    ["no configuration", {}, /No configuration provided/],
    ["an unknown configuration", { configuration: "bpc_none" }, /No such billing_portal.configuration/],
  ])("a portal session is refused with %s", async (_, given, message) => {
    await expect(local.stripe.billingPortal.sessions.create({ customer, ...given })).rejects.toThrow(message);
  });

  it("a portal session is refused with an inactive configuration", async () => {
    const { configurations, sessions } = local.stripe.billingPortal;
    const { id: configuration } = await configurations.create({ features: allFeatures });
    await configurations.update(configuration, { active: false });
    await expect(sessions.create({ customer, configuration })).rejects.toThrow("not active");
  });

  it("the portal refuses actions that its configuration does not allow", async () => {
    await complete({ shipping });
    const { act, page } = await portal({ customer_update: { enabled: true, allowed_updates: ["email"] } });
    expect(await page()).not.toContain("<button");
    const [subscription] = (await local.stripe.subscriptions.list({ customer })).data;
    expect(await act({ action: "cancel", subscription: there(subscription).id })).toContain("does not allow this");
    expect(await act({ action: "ship_to", ...form })).toContain("does not allow this");
    expect(await act({ action: "card", card: "visa" })).toContain("does not allow this");
  });

  const portal = async (features: Stripe.BillingPortal.ConfigurationCreateParams.Features = allFeatures) => {
    const { id: configuration } = await local.stripe.billingPortal.configurations.create({ features });
    const { url } = await local.stripe.billingPortal.sessions.create({
      customer,
      return_url: "https://example.com/",
      configuration,
    });
    const act = async (values: Record<string, string>) =>
      (await fetch(url, { method: "POST", body: new URLSearchParams(values) })).text();
    return { url, act, page: async () => (await fetch(url)).text() };
  };

  it("the portal schedules a cancellation with cancel_at and withdraws it", async () => {
    await complete({ shipping });
    const { act, page } = await portal();
    const subscription = there((await local.stripe.subscriptions.list({ customer })).data[0]);
    expect(await page()).toContain("Cancel on 2026-02-28");

    expect(await act({ action: "cancel", subscription: subscription.id })).toContain("ends on 2026-02-28");
    const scheduled = await local.stripe.subscriptions.retrieve(subscription.id);
    expect(scheduled).toMatchObject({
      cancel_at: subscription.items.data[0]?.current_period_end,
      cancel_at_period_end: false,
    });
    await act({ action: "keep", subscription: subscription.id });
    expect((await local.stripe.subscriptions.retrieve(subscription.id)).cancel_at).toBeNull();
  });

  it("the portal cancels immediately if its configuration says so", async () => {
    await complete({ shipping });
    const { act, page } = await portal({ subscription_cancel: { enabled: true, mode: "immediately" } });
    const subscription = there((await local.stripe.subscriptions.list({ customer })).data[0]);
    expect(await page()).toContain("Cancel now");
    expect(await act({ action: "cancel", subscription: subscription.id })).toContain("There are none.");
    expect((await local.stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
  });

  const cards = { payment_method_update: { enabled: true }, invoice_history: { enabled: true } };

  it("the portal changes the card to one that is declined, and back to one that works", async () => {
    await local.control("faults", { portal_card: "subscriptions" });
    await complete({ shipping });
    const { act, page } = await portal(cards);
    expect(await page()).toContain("Ends in 4242.");
    expect(await act({ action: "card", card: "chargeCustomerFail" })).toContain("Ends in 0341.");
    await local.control("advance", { days: 28 });
    expect((await local.stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "past_due" }]);
    await act({ action: "card", card: "visa" });
    await local.control("advance", { days: 3 });
    expect((await local.stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
  });

  it("a card changed in the portal becomes the customer's, and a subscription is charged to its own", async () => {
    await complete({ shipping });
    const { act } = await portal(cards);
    expect(await act({ action: "card", card: "chargeCustomerFail" })).toContain("Ends in 0341.");
    await local.control("advance", { days: 28 });
    expect((await local.stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
  });

  it("the portal lists invoices, whose pages have a PDF and pay open ones", async () => {
    await complete({ shipping });
    await local.control("faults", { decline: 1 });
    await local.control("advance", { days: 28 });
    const { page } = await portal(cards);
    const [due, paid] = (await local.stripe.invoices.list({ customer })).data;
    const urls = [...(await page()).matchAll(/<li><a href="([^"]+)">/g)].map(([, url]) => url);
    expect(urls).toEqual([due?.hosted_invoice_url, paid?.hosted_invoice_url]);

    const file = await (await fetch(there(paid?.invoice_pdf))).text();
    expect(file).toMatch(/^%PDF-1\.4\n[^]*\(Total: \$25\.00\) Tj[^]*%%EOF\n$/);
    const url = there(due?.hosted_invoice_url);
    const pay = async (card: string) =>
      (await fetch(url, { method: "POST", body: new URLSearchParams({ card }) })).text();
    expect(await pay("declined")).toContain('role="alert">Your card was declined.');
    expect(await pay("paid")).not.toContain("<button");
    expect((await local.stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
  });

  it("the portal changes the address", async () => {
    const { act } = await portal();
    expect(await act({ action: "ship_to", ...form, city: "Puebla" })).toContain('value="Puebla"');
    const { data } = await local.stripe.events.list({ type: "customer.updated", limit: 1 });
    expect(data[0]?.data.object).toMatchObject({ shipping: { address: { city: "Puebla", country: "MX" } } });
  });

  it("the portal does not show subscriptions of other customers", async () => {
    await complete({ shipping });
    const [subscription] = (await local.stripe.subscriptions.list({ customer })).data;
    ({ id: customer } = await local.stripe.customers.create({}));
    const { act, page } = await portal();
    expect(await page()).toContain("There are none.");
    expect(await act({ action: "cancel", subscription: there(subscription).id })).toContain("No such subscription");
  });
});
