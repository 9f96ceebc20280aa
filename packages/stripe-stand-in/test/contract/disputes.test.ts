import { expect, it } from "vitest";
import { aSubscriber, eventsOf, eventually, refusal, there, useTarget } from "../target.ts";

const target = useTarget();

it("a disputed charge has its money withdrawn and cannot be refunded", async () => {
  const { stripe } = target;
  const { customer, charge } = await aSubscriber(target, "pm_card_createDispute");
  const dispute = await eventually(async () => there((await stripe.disputes.list({ charge: charge.id })).data[0]));
  expect(dispute).toMatchObject({ amount: 2_500, payment_intent: charge.payment_intent, is_charge_refundable: false });
  expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(true);
  expect(await refusal(stripe.refunds.create({ charge: charge.id }))).toMatchObject({
    status: 400,
    code: "charge_disputed",
    message: `Charge ${charge.id} has been charged back; cannot issue a refund.`,
  });
  expect(await eventsOf(stripe, customer.id)).not.toContain("refund.created");
  const { data } = await stripe.events.list({ types: ["charge.dispute.created", "charge.dispute.funds_withdrawn"] });
  const ofDispute = data.filter(({ data: { object } }) => "id" in object && object.id === dispute.id);
  expect(ofDispute.map(({ type }) => type).toSorted()).toEqual([
    "charge.dispute.created",
    "charge.dispute.funds_withdrawn",
  ]);
});

it("a charge with an inquiry can still be refunded", async () => {
  const { stripe } = target;
  const { charge } = await aSubscriber(target, "pm_card_createDisputeInquiry");
  const inquiry = await eventually(async () => there((await stripe.disputes.list({ charge: charge.id })).data[0]));
  expect(inquiry).toMatchObject({ status: "warning_needs_response", is_charge_refundable: true });
  expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(true);
  expect(await stripe.refunds.create({ charge: charge.id })).toMatchObject({ status: "succeeded", amount: 2_500 });
});
