import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { aPrice, aSubscriber, refusal, useTarget } from "../target.ts";

const target = useTarget();

type Row = { what: string; call: (stripe: Stripe) => Promise<unknown>; error: object };

const missing = (kind: string, id: string) => ({
  status: 404,
  code: "resource_missing",
  param: "id",
  message: `No such ${kind}: '${id}'`,
});

const rows: Row[] = [
  { what: "a customer", call: (s) => s.customers.retrieve("cus_0"), error: missing("customer", "cus_0") },
  { what: "a subscription", call: (s) => s.subscriptions.retrieve("sub_0"), error: missing("subscription", "sub_0") },
  {
    what: "a subscription to change",
    call: (s) => s.subscriptions.update("sub_0", { metadata: { a: "b" } }),
    error: missing("subscription", "sub_0"),
  },
  { what: "a charge", call: (s) => s.charges.retrieve("ch_0"), error: missing("charge", "ch_0") },
  { what: "an invoice", call: (s) => s.invoices.retrieve("in_0"), error: missing("invoice", "in_0") },
  { what: "a refund", call: (s) => s.refunds.retrieve("re_0"), error: missing("refund", "re_0") },
  {
    what: "a checkout session",
    call: (s) => s.checkout.sessions.retrieve("cs_test_0"),
    error: missing("checkout.session", "cs_test_0"),
  },
  { what: "a way out of the path", call: (s) => s.charges.retrieve("../customers"), error: { status: 404 } },
];

it.each(rows)("a request for $what that does not exist is 404", async ({ call, error }) => {
  expect(await refusal(call(target.stripe))).toMatchObject(error);
});

describe("parameters", () => {
  it("parameters with a missing customer or price are refused with 400 and the name of the parameter", async () => {
    const { stripe } = target;
    const price = await aPrice(stripe);
    const customer = await target.customer();
    expect(await refusal(stripe.subscriptions.create({ customer: "cus_0", items: [{ price }] }))).toMatchObject({
      status: 400,
      code: "resource_missing",
      param: "customer",
    });
    expect(
      await refusal(stripe.subscriptions.create({ customer: customer.id, items: [{ price: "price_0" }] })),
    ).toMatchObject({ status: 400, code: "resource_missing", param: "items[0][price]" });
  });

  it("unknown parameters are refused by name, including nested ones", async () => {
    const { stripe } = target;
    const { charge } = await aSubscriber(target);
    const params = { charge: charge.id, why: "not" } as Stripe.RefundCreateParams;
    expect(await refusal(stripe.refunds.create(params))).toMatchObject({
      status: 400,
      code: "parameter_unknown",
      param: "why",
      message: "Received unknown parameter: why",
    });
    const nested = { invoice_settings: { colour: "red" } } as Stripe.CustomerUpdateParams;
    expect(await refusal(stripe.customers.create(nested))).toMatchObject({
      code: "parameter_unknown",
      param: "invoice_settings[colour]",
    });
  });

  it("parameters that the pinned API version has removed are refused as unknown", async () => {
    const { stripe } = target;
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: "subscription",
      line_items: [{ price: await aPrice(stripe), quantity: 1 }],
      success_url: "https://example.com/",
    };
    const removed = { ...params, payment_method_types: ["card"] };
    expect(await refusal(stripe.checkout.sessions.create(removed))).toMatchObject({ code: "parameter_unknown" });
  });

  it("a price in a currency that does not exist is refused", async () => {
    const amount = { currency: "dollars", unit_amount: 2_500, product_data: { name: "Gold plan" } };
    expect(await refusal(target.stripe.prices.create(amount))).toMatchObject({
      status: 400,
      param: "currency",
      message: expect.stringContaining("Invalid currency: dollars"),
    });
  });

  it("missing and empty parameters are refused by name", async () => {
    const { stripe } = target;
    expect(await refusal(stripe.products.create({} as Stripe.ProductCreateParams))).toMatchObject({
      status: 400,
      code: "parameter_missing",
      param: "name",
      message: "Missing required param: name.",
    });
    expect(await refusal(stripe.products.create({ name: "" }))).toMatchObject({
      status: 400,
      code: "parameter_invalid_empty",
      param: "name",
    });
  });

  it("a cancellation cannot be scheduled in two ways or in the past", async () => {
    const { stripe } = target;
    const { subscription } = await aSubscriber(target);
    const both = { cancel_at: subscription.created + 86_400, cancel_at_period_end: true };
    expect(await refusal(stripe.subscriptions.update(subscription.id, both))).toMatchObject({ status: 400 });
    expect(
      await refusal(stripe.subscriptions.update(subscription.id, { cancel_at: subscription.created - 1 })),
    ).toMatchObject({ status: 400, param: "cancel_at" });
  });
});

it("a subscription that requires immediate payment is refused without a card", async () => {
  const { stripe } = target;
  const { id: customer } = await stripe.customers.create({});
  const subscribe = async () => stripe.subscriptions.create({ customer, items: [{ price: await aPrice(stripe) }] });
  expect(await refusal(subscribe())).toMatchObject({ status: 400, code: "resource_missing" });
});

it("an inactive price or product cannot be sold", async () => {
  const { stripe } = target;
  const customer = await target.customer();
  const price = await aPrice(stripe);
  await stripe.prices.update(price, { active: false });
  expect(await refusal(stripe.subscriptions.create({ customer: customer.id, items: [{ price }] }))).toMatchObject({
    status: 400,
    param: "items[0][price]",
    message: "The price specified is inactive. This field only accepts active prices.",
  });
  const other = await stripe.prices.retrieve(await aPrice(stripe));
  const product = other.product as string;
  await stripe.products.update(product, { active: false });
  const subscription = stripe.subscriptions.create({ customer: customer.id, items: [{ price: other.id }] });
  expect(await refusal(subscription)).toMatchObject({
    status: 400,
    message: expect.stringContaining(`The product ${product} is marked as inactive`),
  });
  const line_items = [{ price: other.id, quantity: 1 }];
  const success_url = "https://example.com/";
  const checkout = stripe.checkout.sessions.create({ mode: "subscription", line_items, success_url });
  expect(await refusal(checkout)).toMatchObject({
    status: 400,
    param: "line_items[0][price]",
    message: `Price \`${other.id}\` is not available to be purchased because its product is not active.`,
  });
});

it("a request to a path outside the API is refused", async () => {
  expect(await refusal(target.stripe.rawRequest("GET", "/v1/nothing"))).toMatchObject({
    status: 404,
    message: expect.stringContaining("Unrecognized request URL (GET: /v1/nothing)."),
  });
});
