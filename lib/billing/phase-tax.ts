import type Stripe from "stripe";
import { idOf } from "./snapshot.ts";

type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase;

const idsOf = (rates: readonly Stripe.TaxRate[] | null | undefined): string[] => (rates ?? []).map(({ id }) => id);

/**
 * The tax settings of a subscription, for a phase of its schedule. Stripe unsets what a phase leaves out
 * (https://docs.stripe.com/billing/subscriptions/subscription-schedules).
 */
export function phaseTaxOf({
  automatic_tax,
  default_tax_rates,
}: Stripe.Subscription): Pick<Phase, "automatic_tax" | "default_tax_rates"> {
  const { enabled, liability } = automatic_tax;
  const account = idOf(liability?.account);
  const rates = idsOf(default_tax_rates);
  return {
    ...(rates.length > 0 && { default_tax_rates: rates }),
    ...(enabled && {
      automatic_tax: {
        enabled,
        ...(liability && { liability: { type: liability.type, ...(account !== undefined && { account }) } }),
      },
    }),
  };
}

/** The tax rates of the item of a subscription, for the item of a phase. */
export function itemTaxOf({
  tax_rates,
}: Stripe.SubscriptionItem): Pick<Stripe.SubscriptionScheduleUpdateParams.Phase.Item, "tax_rates"> {
  const rates = idsOf(tax_rates);
  return rates.length > 0 ? { tax_rates: rates } : {};
}
