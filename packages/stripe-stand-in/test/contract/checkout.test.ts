import type Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import { aPrice, refusal, useTarget } from "../target.ts";

const target = useTarget();

let customer: Stripe.Customer;
let price: string;
beforeAll(async () => {
  customer = await target.customer();
  price = await aPrice(target.stripe);
});

const params = (): Stripe.Checkout.SessionCreateParams => ({
  mode: "subscription",
  customer: customer.id,
  customer_update: { shipping: "auto", address: "auto", name: "auto" },
  client_reference_id: "7",
  line_items: [{ price, quantity: 1 }],
  success_url: "https://example.com/welcome?session={CHECKOUT_SESSION_ID}",
  cancel_url: "https://example.com/",
  shipping_address_collection: { allowed_countries: ["US", "MX"] },
  subscription_data: { metadata: { user_id: "7" }, trial_period_days: 7 },
  metadata: { user_id: "7" },
});

describe("a checkout session", () => {
  it("a checkout session is open for a day at its own URL", async () => {
    const session = await target.stripe.checkout.sessions.create(params());
    expect(session).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      mode: "subscription",
      ui_mode: "hosted_page",
      customer: customer.id,
      client_reference_id: "7",
      subscription: null,
      metadata: { user_id: "7" },
      collected_information: null,
      shipping_address_collection: { allowed_countries: ["US", "MX"] },
    });
    expect(session.expires_at - session.created).toBe(86_400);
    expect(session.id).toMatch(/^cs_test_/);
    expect(URL.canParse(session.url ?? "")).toBe(true);
  });

  it("a checkout session can be expired once", async () => {
    const { stripe } = target;
    const { id } = await stripe.checkout.sessions.create(params());
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: "expired", url: null });
    expect(await refusal(stripe.checkout.sessions.expire(id))).toMatchObject({
      status: 400,
      message:
        'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of `expired`.',
    });
  });

  it("checkout sessions can be listed by customer and status", async () => {
    const { stripe } = target;
    const { id: customerId } = await target.customer();
    const { id } = await stripe.checkout.sessions.create({ ...params(), customer: customerId });
    const found = (status: "open" | "complete") => stripe.checkout.sessions.list({ customer: customerId, status });
    expect((await found("open")).data.map((session) => session.id)).toEqual([id]);
    expect((await found("complete")).data).toEqual([]);
  });
});

describe("a checkout session is refused", () => {
  const rows: [what: string, change: Partial<Stripe.Checkout.SessionCreateParams>, error: object][] = [
    ["for a missing customer", { customer: "cus_0" }, { param: "customer", code: "resource_missing" }],
    ["for a missing price", { line_items: [{ price: "price_0", quantity: 1 }] }, { code: "resource_missing" }],
    [
      "with a country that Stripe does not ship to",
      { shipping_address_collection: { allowed_countries: ["US", "CU"] } },
      { param: "shipping_address_collection[allowed_countries][1]" },
    ],
    ["for a customer and an e-mail address", { customer_email: "ada@example.com" }, {}],
    ["without a valid success URL", { success_url: "nowhere" }, { param: "success_url", code: "url_invalid" }],
    ["with an expiry in less than half an hour", { expires_at: 1 }, { param: "expires_at" }],
  ];
  it.each(rows)("a checkout session is refused %s", async (_, change, error) => {
    const refused = await refusal(target.stripe.checkout.sessions.create({ ...params(), ...change }));
    expect(refused).toMatchObject({ status: 400, ...error });
  });
});

it("a portal session is opened for a customer, with a configuration", async () => {
  const { id: configuration } = await target.stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true, mode: "at_period_end" } },
  });
  const session = await target.stripe.billingPortal.sessions.create({
    configuration,
    customer: customer.id,
    return_url: "https://example.com/",
  });
  expect(session).toMatchObject({ configuration, customer: customer.id, return_url: "https://example.com/" });
  expect(URL.canParse(session.url)).toBe(true);
});

it("a customer's address is kept until it is removed", async () => {
  const { stripe } = target;
  const { id } = await stripe.customers.create({ email: "ada@example.com", metadata: { user_id: "7" } });
  const address = { line1: "1 Main St", city: "Oaxaca", country: "MX", postal_code: "68000" };
  const moved = await stripe.customers.update(id, { shipping: { name: "Ada", address } });
  expect(moved.shipping).toMatchObject({ name: "Ada", address: { ...address, line2: null } });
  expect(await stripe.customers.update(id, { shipping: "" })).toMatchObject({
    shipping: null,
    metadata: { user_id: "7" },
  });
});

it("a product is sold for its default price, and later for another one", async () => {
  const { stripe } = target;
  const product = await stripe.products.create({
    name: "Cask Owner",
    default_price_data: { currency: "usd", unit_amount: 9_900, recurring: { interval: "month" } },
  });
  const dearer = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 10_900,
    recurring: { interval: "month" },
  });
  const updated = await stripe.products.update(product.id, {
    default_price: dearer.id,
    name: "Silver plan",
    active: false,
  });
  expect(updated).toMatchObject({ name: "Silver plan", active: false, default_price: dearer.id });
  expect(await refusal(stripe.products.update(product.id, { default_price: price }))).toMatchObject({ status: 400 });
});

it("Checkout refuses an amount that is too small to be charged", async () => {
  const tooSmall = { price: await aPrice(target.stripe, 49), quantity: 1 };
  const { subscription_data: _, ...rest } = params();
  expect(await refusal(target.stripe.checkout.sessions.create({ ...rest, line_items: [tooSmall] }))).toMatchObject({
    status: 400,
    message: "The Checkout Session's total amount due must add up to at least $0.50 usd",
  });
});
