import type Stripe from "stripe";

/**
 * Payment methods with delayed notification: Stripe reports days later whether a payment succeeded
 * (https://docs.stripe.com/payments/payment-methods#payment-notification).
 */
const delayedMethods = [
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

/** Returns the delayed payment methods that Checkout offers. Undefined if the key may not read them. */
export async function lateMethods(stripe: Stripe): Promise<readonly string[] | undefined> {
  try {
    const configurations = await stripe.paymentMethodConfigurations
      .list({ limit: 100 })
      .autoPagingToArray({ limit: 1000 });
    // Configurations of other applications apply to their own payments.
    const own = configurations.filter(({ active, is_default, application }) => active && is_default && !application);
    return delayedMethods.filter((name) =>
      own.some((configuration) => configuration[name]?.display_preference.value === "on"),
    );
  } catch (error) {
    if ((error as { type?: string }).type !== "StripePermissionError") throw error;
    return undefined;
  }
}
