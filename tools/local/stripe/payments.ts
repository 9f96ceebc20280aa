import type Stripe from "stripe";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { strikes } from "./faults.ts";
import { chargeObject } from "./objects/payment.ts";
import type { World } from "./world.ts";

type Payment = { readonly intent: Stripe.PaymentIntent; readonly customer: Stripe.Customer; readonly card: string };

/** Tries to take the money of a payment intent once: whether it came or not, there is a charge. */
export function attempt(world: World, { intent, customer, card: id }: Payment): Stripe.Charge {
  const card = world.get("payment_method", id);
  if (!card) throw new Error(`There is no card ${id}`);
  const behaviour = world.get("card", id)?.behaviour;
  const isDeclined = strikes(world.faults, "decline") || behaviour === "chargeCustomerFail";
  const charge = chargeObject({ created: world.now(), intent, customer, card, isDeclined });
  events.create(world, "charge", charge, isDeclined ? "charge.failed" : "charge.succeeded");

  const attempted: Stripe.PaymentIntent = isDeclined
    ? { ...intent, latest_charge: charge.id, last_payment_error: refusal(charge, card) }
    : {
        ...intent,
        latest_charge: charge.id,
        last_payment_error: null,
        payment_method: card.id,
        amount_received: intent.amount,
        status: "succeeded",
      };
  world.put("payment_intent", attempted);
  events.emit(world, isDeclined ? "payment_intent.payment_failed" : "payment_intent.succeeded", attempted);

  if (!isDeclined && behaviour === "createDispute")
    schedule(world, world.now(), { do: "dispute", charge: charge.id, status: "needs_response" });
  if (!isDeclined && behaviour === "createDisputeInquiry")
    schedule(world, world.now(), { do: "dispute", charge: charge.id, status: "warning_needs_response" });
  return charge;
}

const refusal = (charge: Stripe.Charge, card: Stripe.PaymentMethod): Stripe.PaymentIntent.LastPaymentError => ({
  charge: charge.id,
  code: "card_declined",
  decline_code: "generic_decline",
  doc_url: "https://docs.stripe.com/error-codes/card-declined",
  message: "Your card was declined.",
  payment_method: card,
  type: "card_error",
});
