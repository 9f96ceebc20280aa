import type Stripe from "stripe";
import { noAddress } from "./common.ts";

type CustomerFields = {
  readonly id: string;
  readonly created: number;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly phone?: string | null;
  readonly description?: string | null;
  readonly address?: Stripe.Address | null;
  readonly shipping?: Stripe.Customer.Shipping | null;
  readonly metadata?: Stripe.Metadata;
};

export function customerObject({ id, created, metadata = {}, ...given }: CustomerFields): Stripe.Customer {
  return {
    id,
    object: "customer",
    address: given.address ?? null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: given.description ?? null,
    discount: null,
    email: given.email ?? null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata,
    name: given.name ?? null,
    next_invoice_sequence: 1,
    phone: given.phone ?? null,
    preferred_locales: [],
    shipping: given.shipping ?? null,
    tax_exempt: "none",
    test_clock: null,
  };
}

/**
 * Stripe's test cards, by the name after `pm_card_`, which says what each does.
 *
 * @see https://docs.stripe.com/testing
 */
export const testCards = {
  visa: { brand: "visa", last4: "4242" },
  mastercard: { brand: "mastercard", last4: "4444" },
  chargeCustomerFail: { brand: "visa", last4: "0341" },
  refundFail: { brand: "visa", last4: "5126" },
  pendingRefund: { brand: "visa", last4: "7726" },
  createDispute: { brand: "visa", last4: "0259" },
  createDisputeInquiry: { brand: "visa", last4: "1976" },
} as const;

export type TestCard = keyof typeof testCards;

type CardFields = { readonly id: string; readonly card: TestCard; readonly customer: string; readonly created: number };

export const cardObject = ({ id, card, customer, created }: CardFields): Stripe.PaymentMethod => ({
  id,
  object: "payment_method",
  allow_redisplay: "unspecified",
  billing_details: { address: noAddress, email: null, name: null, phone: null, tax_id: null },
  card: {
    brand: testCards[card].brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: "US",
    display_brand: testCards[card].brand,
    exp_month: 12,
    exp_year: 2034,
    funding: "credit",
    generated_from: null,
    last4: testCards[card].last4,
    networks: { available: [testCards[card].brand], preferred: null },
    regulated_status: "unregulated",
    three_d_secure_usage: { supported: true },
    wallet: null,
  },
  created,
  customer,
  customer_account: null,
  livemode: false,
  metadata: {},
  type: "card",
});
