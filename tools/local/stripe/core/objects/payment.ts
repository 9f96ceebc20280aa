import type Stripe from "stripe";
import { noAddress } from "./common.ts";

type IntentFields = {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly customer: string;
  readonly description: string;
};

/** A new payment intent, before the first attempt. */
export function intentObject(given: IntentFields): Stripe.PaymentIntent {
  const { id, created, amount, currency, customer, description } = given;
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic",
    client_secret: `${id}_secret_fake`,
    confirmation_method: "automatic",
    created,
    currency,
    customer,
    customer_account: null,
    description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: "off_session",
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_data: null,
    transfer_group: null,
  };
}

type ChargeFields = {
  readonly id: string;
  readonly created: number;
  readonly intent: Stripe.PaymentIntent;
  readonly customer: Stripe.Customer;
  readonly card: Stripe.PaymentMethod;
  readonly isDeclined: boolean;
};

/** One attempt to collect a payment intent. */
export function chargeObject({ id, created, intent, customer, card, isDeclined }: ChargeFields): Stripe.Charge {
  return {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: isDeclined ? 0 : intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: isDeclined ? null : id.replace("ch_", "txn_"),
    billing_details: {
      address: customer.address ?? noAddress,
      email: customer.email,
      name: customer.name ?? null,
      phone: customer.phone ?? null,
      tax_id: null,
    },
    calculated_statement_descriptor: isDeclined ? null : "STRIPE STAND-IN",
    captured: !isDeclined,
    created,
    currency: intent.currency,
    customer: customer.id,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: isDeclined ? "card_declined" : null,
    failure_message: isDeclined ? "Your card was declined." : null,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: isDeclined ? declinedOutcome : paidOutcome,
    paid: !isDeclined,
    payment_intent: intent.id,
    payment_method: card.id,
    payment_method_details: { card: cardDetails(card, intent.amount), type: "card" },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isDeclined ? "failed" : "succeeded",
    transfer_data: null,
    transfer_group: null,
  };
}

const paidOutcome: Stripe.Charge.Outcome = {
  advice_code: null,
  network_advice_code: null,
  network_decline_code: null,
  network_status: "approved_by_network",
  reason: null,
  seller_message: "Payment complete.",
  type: "authorized",
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
  authorization_code: null,
  brand: card?.brand ?? null,
  checks: card?.checks ?? null,
  country: card?.country ?? null,
  electronic_commerce_indicator: null,
  exp_month: card?.exp_month ?? 0,
  exp_year: card?.exp_year ?? 0,
  funding: card?.funding ?? null,
  installments: null,
  last4: card?.last4 ?? null,
  mandate: null,
  network: card?.brand ?? null,
  network_token: null,
  network_transaction_id: null,
  regulated_status: "unregulated",
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
});
