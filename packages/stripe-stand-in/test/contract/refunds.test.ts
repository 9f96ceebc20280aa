import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { aPrice, aSubscriber, eventsOf, eventually, idOf, refusal, useTarget } from "../target.ts";

const target = useTarget();

describe("a refund", () => {
  it("a full refund does not change the invoice and the subscription", async () => {
    const { stripe } = target;
    const { customer, subscription, charge } = await aSubscriber(target);
    const refund = await stripe.refunds.create({
      charge: charge.id,
      reason: "requested_by_customer",
      metadata: { operation_id: "op_1" },
      expand: ["charge"],
    });
    expect(refund).toMatchObject({
      amount: 2_500,
      status: "succeeded",
      reason: "requested_by_customer",
      metadata: { operation_id: "op_1" },
      customer: customer.id,
      payment_intent: charge.payment_intent,
      charge: { id: charge.id, amount_refunded: 2_500, refunded: true, amount_captured: 2_500 },
    });
    const after = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
    expect(after).toMatchObject({ status: "active", latest_invoice: { status: "paid", amount_paid: 2_500 } });
    await eventually(async () => {
      expect(await eventsOf(stripe, customer.id)).toEqual(
        expect.arrayContaining(["refund.created", "charge.refunded"]),
      );
    });
  });

  it("partial refunds are possible until nothing is left, and the charge lists them newest first", async () => {
    const { stripe } = target;
    const { charge } = await aSubscriber(target);
    const part = (amount?: number) => stripe.refunds.create({ charge: charge.id, amount, expand: ["charge"] });
    const first = await part(400);
    expect(first.charge).toMatchObject({ amount_refunded: 400, refunded: false });
    const second = await part(600);
    const last = await part();
    expect(last).toMatchObject({ amount: 1_500, charge: { amount_refunded: 2_500, refunded: true } });

    const ids = [last.id, second.id, first.id];
    const { refunds } = await stripe.charges.retrieve(charge.id, { expand: ["refunds"] });
    expect(refunds?.data.map(({ id }) => id)).toEqual(ids);
    expect((await stripe.refunds.list({ charge: charge.id })).data.map(({ id }) => id)).toEqual(ids);
    expect((await stripe.charges.retrieve(charge.id)).refunds).toBeUndefined();
  });

  it("a refund can be requested by payment intent", async () => {
    const { stripe } = target;
    const { charge } = await aSubscriber(target);
    const intent = idOf(charge.payment_intent);
    const refund = await stripe.refunds.create({ payment_intent: intent, amount: 100 });
    expect(refund.charge).toBe(charge.id);
    expect((await stripe.refunds.list({ payment_intent: intent })).data.map(({ id }) => id)).toEqual([refund.id]);
  });

  it("the metadata of a refund can be set later", async () => {
    const { stripe } = target;
    const { charge } = await aSubscriber(target);
    const { id } = await stripe.refunds.create({ charge: charge.id, metadata: { by: "owner", note: "late" } });
    await stripe.refunds.update(id, { metadata: { note: "", ticket: "7" } });
    expect((await stripe.refunds.retrieve(id)).metadata).toEqual({ by: "owner", ticket: "7" });
  });

  it("a succeeded refund can still fail, which returns the amount to the charge", async () => {
    const { stripe } = target;
    const { customer, charge } = await aSubscriber(target, "pm_card_refundFail");
    const refund = await stripe.refunds.create({ charge: charge.id });
    expect(refund.status).toBe("succeeded");
    await eventually(async () => {
      const failed = await stripe.refunds.retrieve(refund.id);
      expect(failed).toMatchObject({ status: "failed", failure_reason: expect.any(String) });
      expect(await eventsOf(stripe, customer.id)).toContain("refund.failed");
    });
  });

  it("a pending refund succeeds later, and its amount is reserved until then", async () => {
    const { stripe } = target;
    const { customer, charge } = await aSubscriber(target, "pm_card_pendingRefund");
    const refund = await stripe.refunds.create({ charge: charge.id, expand: ["charge"] });
    expect(refund).toMatchObject({ status: "pending", charge: { amount_refunded: 2_500 } });
    await eventually(async () => {
      expect((await stripe.refunds.retrieve(refund.id)).status).toBe("succeeded");
      expect(await eventsOf(stripe, customer.id)).toContain("refund.updated");
    });
  });
});

describe("a refund is refused", () => {
  const asked = async (params: Stripe.RefundCreateParams) => refusal(target.stripe.refunds.create(params));

  it("a refund of more than the charge is refused with the remaining amount", async () => {
    const { charge } = await aSubscriber(target);
    expect(await asked({ charge: charge.id, amount: 2_501 })).toEqual({
      type: "StripeInvalidRequestError",
      status: 400,
      code: undefined,
      param: "amount",
      message: "Refund amount ($25.01) is greater than charge amount ($25.00)",
    });
  });

  it("a refund of more than the remaining amount is refused", async () => {
    const { charge } = await aSubscriber(target);
    await target.stripe.refunds.create({ charge: charge.id, amount: 355 });
    expect(await asked({ charge: charge.id, amount: 2_500 })).toMatchObject({
      status: 400,
      param: "amount",
      message: "Refund amount ($25.00) is greater than unrefunded amount on charge ($21.45)",
    });
  });

  it("a refund is refused once nothing is left", async () => {
    const { charge } = await aSubscriber(target);
    await target.stripe.refunds.create({ charge: charge.id });
    expect(await asked({ charge: charge.id, amount: 1 })).toMatchObject({
      status: 400,
      code: "charge_already_refunded",
      message: `Charge ${charge.id} has already been refunded.`,
    });
  });

  it.each([0, -5])("a refund of %i is refused", async (amount) => {
    const { charge } = await aSubscriber(target);
    expect(await asked({ charge: charge.id, amount })).toMatchObject({
      status: 400,
      code: "parameter_invalid_integer",
      param: "amount",
      message: expect.stringContaining("must be greater than or equal to 1"),
    });
  });

  it("a refund of half a cent is refused", async () => {
    const { charge } = await aSubscriber(target);
    expect(await asked({ charge: charge.id, amount: 12.5 })).toMatchObject({
      status: 400,
      code: "parameter_invalid_integer",
      param: "amount",
      message: "Invalid integer: 12.5",
    });
  });

  it("a refund with an unknown reason is refused", async () => {
    const { charge } = await aSubscriber(target);
    const reason = "changed_mind" as Stripe.RefundCreateParams.Reason;
    expect(await asked({ charge: charge.id, reason })).toMatchObject({
      status: 400,
      param: "reason",
      message: "Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer",
    });
  });

  it("a refund without a charge or payment intent is refused", async () => {
    expect(await asked({ amount: 100 })).toMatchObject({ status: 400 });
  });

  it("a refund of a missing charge or payment intent is refused", async () => {
    expect(await asked({ charge: "ch_nothing" })).toMatchObject({
      status: 404,
      code: "resource_missing",
      message: "No such charge: 'ch_nothing'",
    });
    expect(await asked({ payment_intent: "pi_nothing" })).toMatchObject({ status: 404, code: "resource_missing" });
  });

  it("a refund of a payment that never succeeded is refused", async () => {
    const { stripe } = target;
    const customer = await target.customer("pm_card_chargeCustomerFail");
    await stripe.subscriptions.create({ customer: customer.id, items: [{ price: await aPrice(stripe) }] });
    const [failed] = (await stripe.charges.list({ customer: customer.id })).data;
    const intent = idOf(failed?.payment_intent);
    const message = `This PaymentIntent (${intent}) does not have a successful charge to refund.`;
    expect(await asked({ payment_intent: intent })).toMatchObject({ status: 400, message });
    expect(await asked({ charge: idOf(failed) })).toMatchObject({ status: 400, message });
  });
});
