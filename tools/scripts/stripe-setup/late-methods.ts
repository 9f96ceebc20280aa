import type Stripe from "stripe";

/**
 * Payment methods that tell days later whether they succeeded
 * (https://docs.stripe.com/payments/payment-methods#payment-notification).
 */
const late = [
  "acss_debit",
  "au_becs_debit",
  "bacs_debit",
  "boleto",
  "customer_balance",
  "konbini",
  "multibanco",
  "nz_bank_account",
  "oxxo",
  "sepa_debit",
  "sofort",
  "us_bank_account",
] as const satisfies (keyof Stripe.PaymentMethodConfiguration)[];

/** The methods of an account that Checkout offers and that settle late; undefined where the key may not look. */
export async function lateMethods(stripe: Stripe): Promise<readonly string[] | undefined> {
  try {
    const configurations = await stripe.paymentMethodConfigurations
      .list({ limit: 100 })
      .autoPagingToArray({ limit: 1000 });
    // Those of other applications decide about their own payments.
    const own = configurations.filter(({ active, is_default, application }) => active && is_default && !application);
    return late.filter((name) => own.some((one) => one[name]?.display_preference.value === "on"));
  } catch (error) {
    if ((error as { type?: string }).type !== "StripePermissionError") throw error;
    return undefined;
  }
}
