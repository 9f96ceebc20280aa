import type Stripe from "stripe";

type SessionFields = {
  readonly id: string;
  readonly created: number;
  readonly expiresAt: number;
  readonly price: Stripe.Price;
  readonly quantity: number;
  readonly isTrial: boolean;
  /** The URL that the hosted page is served from. */
  readonly baseUrl: string;
  readonly successUrl: string;
  readonly cancelUrl?: string;
  readonly customer: Stripe.Customer | null;
  readonly customerEmail?: string;
  readonly clientReferenceId?: string;
  readonly metadata?: Stripe.Metadata;
  readonly shippingCountries?: readonly string[];
};

/** A new, open session. */
export function checkoutSessionObject(given: SessionFields): Stripe.Checkout.Session {
  const { id } = given;
  const amount = given.isTrial ? 0 : (given.price.unit_amount ?? 0) * given.quantity;
  return {
    id,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: given.cancelUrl ?? null,
    client_reference_id: given.clientReferenceId ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: given.created,
    currency: given.price.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: given.customer?.id ?? null,
    customer_account: null,
    customer_creation: given.customer ? null : "always",
    customer_details: null,
    customer_email: given.customerEmail ?? null,
    discounts: [],
    expires_at: given.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: given.metadata ?? {},
    mode: "subscription",
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: "always",
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    payment_status: "unpaid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: given.shippingCountries ? { allowed_countries: [...given.shippingCountries] } : null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: null,
    subscription: null,
    success_url: given.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: `${given.baseUrl}/_fake/checkout/${id}`,
    wallet_options: null,
  };
}
