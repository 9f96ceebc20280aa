import type Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import { aSubscriber, refusal, there, useTarget } from "../target.ts";

const target = useTarget();

let charge: Stripe.Charge;
/** Newest first. */
let refunds: string[];
beforeAll(async () => {
  ({ charge } = await aSubscriber(target));
  refunds = [];
  for (let amount = 1; amount <= 12; amount++)
    refunds.unshift((await target.stripe.refunds.create({ charge: charge.id, amount })).id);
});

describe("a list", () => {
  const page = async (params: Stripe.RefundListParams = {}) => {
    const { data, has_more: more } = await target.stripe.refunds.list({ charge: charge.id, ...params });
    return { ids: data.map(({ id }) => id), more };
  };

  it("a list returns the ten newest objects first, and whether there are more", async () => {
    expect(await page()).toEqual({ ids: refunds.slice(0, 10), more: true });
  });

  it("a list continues after a given object, and says when it has ended", async () => {
    expect(await page({ starting_after: refunds[9] })).toEqual({ ids: refunds.slice(10), more: false });
    expect(await page({ starting_after: refunds[1], limit: 3 })).toEqual({ ids: refunds.slice(2, 5), more: true });
  });

  it("a list continues before a given object, still newest first", async () => {
    expect(await page({ ending_before: refunds[5], limit: 3 })).toEqual({ ids: refunds.slice(2, 5), more: true });
    expect(await page({ ending_before: refunds[2] })).toEqual({ ids: refunds.slice(0, 2), more: false });
  });

  it("a list can be read to its end", async () => {
    const all: string[] = [];
    for await (const { id } of target.stripe.refunds.list({ charge: charge.id, limit: 5 })) all.push(id);
    expect(all).toEqual(refunds);
  });

  it("products and prices can be listed by whether they are active, and prices by their product", async () => {
    const { stripe } = target;
    const { id: product } = await stripe.products.create({ name: "Gold plan" });
    const { id: inactive } = await stripe.products.create({ name: "Silver plan", active: false });
    const ids = async (active: boolean) =>
      (await stripe.products.list({ active, limit: 100 })).data.map(({ id }) => id);
    expect(await ids(true)).toContain(product);
    expect(await ids(true)).not.toContain(inactive);
    expect(await ids(false)).toContain(inactive);
    const { id: price } = await stripe.prices.create({ product, currency: "usd", unit_amount: 2_500 });
    expect((await stripe.prices.list({ product })).data).toMatchObject([{ id: price }]);
    expect((await stripe.prices.list({ product, active: false })).data).toEqual([]);
  });

  it("a list can be limited by time", async () => {
    const { created } = charge;
    expect((await page({ created: { gte: created }, limit: 100 })).ids).toEqual(refunds);
    expect((await page({ created: { lt: created } })).ids).toEqual([]);
  });

  it.each([0, 101])("a list cannot have a limit of %i", async (limit) => {
    expect(await refusal(page({ limit }))).toMatchObject({
      status: 400,
      code: "parameter_invalid_integer",
      param: "limit",
    });
  });

  it("a list filtered by a missing customer is refused", async () => {
    expect(await refusal(target.stripe.charges.list({ customer: "cus_0" }))).toMatchObject({
      status: 400,
      code: "resource_missing",
      param: "customer",
    });
  });

  it("a request with an empty id returns the list", async () => {
    const answer: unknown = await target.stripe.charges.retrieve("");
    expect(answer).toMatchObject({ object: "list" });
  });
});

describe("expanding", () => {
  it("expanded objects replace their ids, also in lists", async () => {
    const { stripe } = target;
    const [invoice] = (await stripe.invoices.list({ limit: 1, expand: ["data.customer", "data.payments"] })).data;
    expect(invoice).toMatchObject({ customer: { object: "customer" }, payments: { object: "list" } });
    const whole = await stripe.invoices.retrieve(there(invoice).id, {
      expand: ["payments.data.payment.payment_intent"],
    });
    expect(whole.payments?.data[0]?.payment.payment_intent).toMatchObject({ object: "payment_intent" });
  });

  it("expansion is limited to four levels, including the data of a list", async () => {
    const { stripe } = target;
    const tooDeep = (path: string) => ({
      status: 400,
      code: "property_expansion_max_depth",
      message: `You cannot expand more than 4 levels of a property. Property: ${path}`,
    });
    const intents = "data.payments.data.payment.payment_intent";
    expect(await refusal(stripe.invoices.list({ expand: [intents] }))).toMatchObject(tooDeep(intents));
    const products = "data.items.data.price.product";
    expect(await refusal(stripe.subscriptions.list({ expand: [products] }))).toMatchObject(tooDeep(products));
  });

  it.each(["status", "invoice", "metadata"])("expanding a field that is not an object is refused: %s", async (path) => {
    expect(await refusal(target.stripe.charges.retrieve(charge.id, { expand: [path] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining(`This property cannot be expanded (${path}).`),
    });
  });
});
