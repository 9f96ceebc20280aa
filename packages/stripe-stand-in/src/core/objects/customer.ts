import type Stripe from "stripe";
import { noAddress, nulls } from "./common.ts";

type NewCustomer = Partial<Stripe.Customer> & Pick<Stripe.Customer, "id" | "created">;

export const customerObject = (given: NewCustomer): Stripe.Customer => ({
  object: "customer",
  balance: 0,
  delinquent: false,
  invoice_prefix: given.id.slice(-8).toUpperCase(),
  invoice_settings: nulls("custom_fields default_payment_method footer rendering_options"),
  livemode: false,
  metadata: {},
  next_invoice_sequence: 1,
  preferred_locales: [],
  tax_exempt: "none",
  ...nulls("address currency customer_account default_source description discount email name phone shipping"),
  ...nulls("test_clock"),
  ...given,
});

/**
 * Stripe's test cards, by the name after `pm_card_`, which describes their behavior.
 *
 * @see https://docs.stripe.com/testing
 */
export const testCards = {
  visa: { brand: "visa", last4: "4242" },
  mastercard: { brand: "mastercard", last4: "4444" },
  chargeCustomerFail: { brand: "visa", last4: "0341" },
  refundFail: { brand: "visa", last4: "5126" },
  pendingRefund: { brand: "visa", last4: "7726" },
  authenticationRequired: { brand: "visa", last4: "3184" },
  createDispute: { brand: "visa", last4: "0259" },
  createDisputeInquiry: { brand: "visa", last4: "1976" },
} as const;

export type TestCard = keyof typeof testCards;

type NewCard = { readonly id: string; readonly card: TestCard; readonly customer: string; readonly created: number };

export function cardObject({ card, ...given }: NewCard): Stripe.PaymentMethod {
  const { brand, last4 } = testCards[card];
  return {
    ...given,
    object: "payment_method",
    allow_redisplay: "unspecified",
    billing_details: { address: noAddress, ...nulls("email name phone tax_id") },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
      country: "US",
      display_brand: brand,
      exp_month: 12,
      exp_year: 2034,
      funding: "credit",
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    customer_account: null,
    livemode: false,
    metadata: {},
    type: "card",
  };
}
