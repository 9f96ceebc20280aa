import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { isTriggered } from "./faults.ts";
import { chargeObject } from "./objects/payment.ts";

type Payment = { readonly intent: Stripe.PaymentIntent; readonly customer: Stripe.Customer; readonly card: string };

/** Attempts to collect a payment intent once. The result is a charge, paid or failed. */
export function attempt(account: Account, { intent, customer, card: id }: Payment): Stripe.Charge {
  const card = account.get("payment_method", id);
  if (!card) throw new Error(`There is no card ${id}`);
  const behaviour = account.get("card", id)?.behaviour;
  const isDeclined = isTriggered(account.faults, "decline") || behaviour === "chargeCustomerFail";
  const charge = chargeObject({ id: account.newId("ch"), created: account.now(), intent, customer, card, isDeclined });
  events.create(account, "charge", charge, isDeclined ? "charge.failed" : "charge.succeeded");

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
  account.put("payment_intent", attempted);
  events.emit(account, isDeclined ? "payment_intent.payment_failed" : "payment_intent.succeeded", attempted);

  if (!isDeclined && behaviour === "createDispute")
    schedule(account, account.now(), { do: "dispute", charge: charge.id, status: "needs_response" });
  if (!isDeclined && behaviour === "createDisputeInquiry")
    schedule(account, account.now(), { do: "dispute", charge: charge.id, status: "warning_needs_response" });
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
