import type Stripe from "stripe";
import { noAddress, nulls } from "./common.ts";

type NewIntent = Pick<Stripe.PaymentIntent, "id" | "created" | "amount" | "currency" | "customer" | "description">;

/** A new payment intent, before the first attempt. */
export const intentObject = (given: NewIntent): Stripe.PaymentIntent => ({
  ...given,
  object: "payment_intent",
  amount_capturable: 0,
  amount_received: 0,
  capture_method: "automatic",
  client_secret: `${given.id}_secret_fake`,
  confirmation_method: "automatic",
  livemode: false,
  metadata: {},
  payment_method_types: ["card"],
  setup_future_usage: "off_session",
  status: "requires_payment_method",
  ...nulls("allowed_payment_method_types application application_fee_amount automatic_payment_methods canceled_at"),
  ...nulls("cancellation_reason customer_account excluded_payment_method_types last_payment_error latest_charge"),
  ...nulls("managed_payments next_action on_behalf_of payment_method payment_method_configuration_details"),
  ...nulls("payment_method_options payment_record processing receipt_email review shipping source"),
  ...nulls("statement_descriptor statement_descriptor_suffix transfer_data transfer_group"),
});

type NewCharge = {
  readonly id: string;
  readonly created: number;
  readonly intent: Stripe.PaymentIntent;
  readonly customer: Stripe.Customer;
  readonly card: Stripe.PaymentMethod;
  readonly status: Stripe.Charge.Status;
};

/** One attempt to collect a payment intent. A pending charge differs from a paid one only in its status. */
export function chargeObject({ id, created, intent, customer, card, status }: NewCharge): Stripe.Charge {
  const isDeclined = status === "failed";
  const { amount, currency, description } = intent;
  const { address, email, name = null, phone = null } = customer;
  return {
    id,
    object: "charge",
    amount,
    amount_captured: isDeclined ? 0 : amount,
    amount_refunded: 0,
    balance_transaction: isDeclined ? null : id.replace("ch_", "txn_"),
    billing_details: { address: address ?? noAddress, email, name, phone, tax_id: null },
    calculated_statement_descriptor: isDeclined ? null : "STRIPE STAND-IN",
    captured: !isDeclined,
    created,
    currency,
    customer: customer.id,
    description,
    disputed: false,
    ...failureOf(status),
    fraud_details: {},
    livemode: false,
    metadata: {},
    outcome: isDeclined ? declinedOutcome : paidOutcome,
    paid: !isDeclined,
    payment_intent: intent.id,
    payment_method: card.id,
    payment_method_details: { card: cardDetails(card, amount), type: "card" },
    receipt_url: isDeclined ? null : `https://pay.stripe.com/receipts/invoices/${id}?s=ap`,
    refunded: false,
    status,
    ...nulls("application application_fee application_fee_amount failure_balance_transaction on_behalf_of"),
    ...nulls("receipt_email receipt_number review shipping source source_transfer statement_descriptor"),
    ...nulls("statement_descriptor_suffix transfer_data transfer_group"),
  };
}

/** The reason why a charge failed. */
export const failureOf = (status: Stripe.Charge.Status) =>
  status === "failed"
    ? { failure_code: "card_declined", failure_message: "Your card was declined." }
    : { failure_code: null, failure_message: null };

const paidOutcome: Stripe.Charge.Outcome = {
  network_status: "approved_by_network",
  seller_message: "Payment complete.",
  type: "authorized",
  ...nulls("advice_code network_advice_code network_decline_code reason"),
};

const declinedOutcome: Stripe.Charge.Outcome = {
  ...paidOutcome,
  network_status: "declined_by_network",
  reason: "generic_decline",
  seller_message: "The bank did not return any further details with this decline.",
  type: "issuer_declined",
};

const cardDetails = ({ card }: Stripe.PaymentMethod, amount: number): Stripe.Charge.PaymentMethodDetails.Card => ({
  amount_authorized: amount,
  brand: card?.brand ?? null,
  checks: card?.checks ?? null,
  country: card?.country ?? null,
  exp_month: card?.exp_month ?? 0,
  exp_year: card?.exp_year ?? 0,
  funding: card?.funding ?? null,
  last4: card?.last4 ?? null,
  network: card?.brand ?? null,
  regulated_status: "unregulated",
  ...nulls("authorization_code electronic_commerce_indicator installments mandate network_token"),
  ...nulls("network_transaction_id three_d_secure transaction_link_id wallet"),
});
