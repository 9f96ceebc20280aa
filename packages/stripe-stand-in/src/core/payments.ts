import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { isTriggered } from "./faults.ts";
import { chargeObject, failureOf } from "./objects/payment.ts";
import { day } from "./periods.ts";

type Payment = { readonly intent: Stripe.PaymentIntent; readonly customer: Stripe.Customer; readonly card: string };

/**
 * Attempts to collect a payment intent once. The result is a charge: paid, failed, or pending until it settles. Null if
 * the customer has to confirm the payment.
 */
export function attempt(account: Account, { intent, customer, card: id }: Payment): Stripe.Charge | null {
  const card = account.get("payment_method", id);
  if (!card) throw new Error(`There is no card ${id}`);
  const behaviour = account.get("card", id)?.behaviour;
  if (behaviour === "authenticationRequired") {
    const waiting: Stripe.PaymentIntent = {
      ...intent,
      payment_method: card.id,
      status: "requires_action",
      next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} },
    };
    account.put("payment_intent", waiting);
    events.emit(account, "payment_intent.requires_action", waiting);
    return null;
  }
  const isDeclined = isTriggered(account.faults, "decline") || behaviour === "chargeCustomerFail";
  const { settle_days: days, settle_as: outcome } = account.faults;
  const status = isDeclined ? "failed" : days > 0 ? "pending" : "succeeded";
  const charge = chargeObject({ id: account.newId("ch"), created: account.now(), intent, customer, card, status });
  events.create(account, "charge", charge, `charge.${status}`);
  if (status === "pending") {
    const processing: Stripe.PaymentIntent = {
      ...intent,
      latest_charge: charge.id,
      payment_method: card.id,
      status: "processing",
    };
    account.put("payment_intent", processing);
    events.emit(account, "payment_intent.processing", processing);
    schedule(account, account.now() + days * day, { do: "settle_charge", charge: charge.id, status: outcome });
    return charge;
  }

  const attempted: Stripe.PaymentIntent = isDeclined
    ? { ...intent, ...unconfirmed(intent), latest_charge: charge.id, last_payment_error: refusal(charge, card) }
    : {
        ...intent,
        next_action: null,
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

/** The properties of a payment intent that no longer waits for the customer. */
const unconfirmed = ({ status }: Stripe.PaymentIntent) =>
  status === "requires_action" ? { status: "requires_payment_method" as const, next_action: null } : {};

/** Settles a pending payment. */
export function settle(account: Account, pending: Stripe.Charge, status: "succeeded" | "failed"): Stripe.Charge {
  const isPaid = status === "succeeded";
  const charge: Stripe.Charge = {
    ...pending,
    status,
    ...failureOf(status),
    ...(!isPaid && { amount_captured: 0, captured: false, paid: false }),
  };
  events.replace(account, "charge", charge, `charge.${status}`);
  const intent = account.get("payment_intent", pending.payment_intent);
  const card = account.get("payment_method", pending.payment_method);
  if (!intent || !card) throw new Error(`Charge ${pending.id} collects nothing`);
  const settled: Stripe.PaymentIntent = isPaid
    ? { ...intent, amount_received: intent.amount, status }
    : { ...intent, status: "requires_payment_method", last_payment_error: refusal(charge, card) };
  events.replace(
    account,
    "payment_intent",
    settled,
    isPaid ? "payment_intent.succeeded" : "payment_intent.payment_failed",
  );
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
