import type Stripe from "stripe";
import { nulls } from "./common.ts";

type NewSession = Partial<Stripe.Checkout.Session> &
  Pick<Stripe.Checkout.Session, "id" | "created" | "expires_at"> & {
    readonly price: Stripe.Price;
    readonly quantity: number;
    readonly isTrial: boolean;
    /** The URL that the hosted page is served from. */
    readonly baseUrl: string;
  };

/** A new, open session. */
export function checkoutSessionObject(session: NewSession): Stripe.Checkout.Session {
  const { price, quantity, isTrial, baseUrl, ...given } = session;
  const amount = isTrial ? 0 : (price.unit_amount ?? 0) * quantity;
  return {
    object: "checkout.session",
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    currency: price.currency,
    custom_fields: [],
    custom_text: nulls("after_submit shipping_address submit terms_of_service_acceptance"),
    customer_creation: given.customer ? null : "always",
    discounts: [],
    livemode: false,
    metadata: {},
    mode: "subscription",
    payment_method_collection: "always",
    payment_method_types: ["card"],
    payment_status: "unpaid",
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: "open",
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: `${baseUrl}/_fake/checkout/${given.id}`,
    ...nulls("adaptive_pricing after_expiration allow_promotion_codes allowed_payment_method_types"),
    ...nulls("billing_address_collection cancel_url client_reference_id client_secret collected_information consent"),
    ...nulls("consent_collection currency_conversion customer customer_account customer_details customer_email"),
    ...nulls("integration_identifier invoice invoice_creation locale managed_payments origin_context payment_intent"),
    ...nulls("payment_link payment_method_configuration_details payment_method_options permissions recovered_from"),
    ...nulls("saved_payment_method_options setup_intent shipping_address_collection shipping_cost submit_type"),
    ...nulls("subscription success_url wallet_options"),
    ...given,
  };
}
