import { expect, it } from "vitest";
import { aPrice, aSubscriber, refusal, useTarget } from "../target.ts";

const target = useTarget();

it("repeating a request with the same key has no further effect and returns the same response", async () => {
  const { stripe } = target;
  const { charge } = await aSubscriber(target);
  const ask = () =>
    stripe.refunds.create({ charge: charge.id, amount: 500 }, { idempotencyKey: `refund:${charge.id}` });
  const first = await ask();
  const second = await ask();
  expect(second).toEqual(first);
  expect(second.lastResponse.headers["idempotent-replayed"]).toBe("true");
  expect(first.lastResponse.headers["idempotent-replayed"]).toBeUndefined();
  expect((await stripe.charges.retrieve(charge.id)).amount_refunded).toBe(500);
});

it("a used key with other parameters or for another request is refused", async () => {
  const { stripe } = target;
  const { charge } = await aSubscriber(target);
  const idempotencyKey = `key:${charge.id}`;
  await stripe.refunds.create({ charge: charge.id, amount: 500 }, { idempotencyKey });
  expect(await refusal(stripe.refunds.create({ charge: charge.id, amount: 501 }, { idempotencyKey }))).toEqual({
    type: "StripeIdempotencyError",
    status: 400,
    code: undefined,
    param: undefined,
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${idempotencyKey}' if you meant to execute a different request.`,
  });
  expect(await refusal(stripe.customers.create({}, { idempotencyKey }))).toMatchObject({
    type: "StripeIdempotencyError",
    message: expect.stringContaining("for the same endpoint they were first used for ('/v1/refunds')"),
  });
});

it("repeating a refused request with the same key returns the same refusal, even if the request has become valid", async () => {
  const { stripe } = target;
  const { id: customer } = await stripe.customers.create({});
  const price = await aPrice(stripe);
  const idempotencyKey = `early:${customer}`;
  const ask = () => stripe.subscriptions.create({ customer, items: [{ price }] }, { idempotencyKey });
  const first = await refusal(ask());
  const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } });
  expect(await refusal(ask())).toEqual(first);
});

it("the response to an unreadable request is not stored", async () => {
  const { stripe } = target;
  const { charge } = await aSubscriber(target);
  const idempotencyKey = `typo:${charge.id}`;
  expect(await refusal(stripe.refunds.create({ charge: charge.id, amount: -1 }, { idempotencyKey }))).toMatchObject({
    code: "parameter_invalid_integer",
  });
  expect(await stripe.refunds.create({ charge: charge.id, amount: 1 }, { idempotencyKey })).toMatchObject({
    amount: 1,
  });
});
