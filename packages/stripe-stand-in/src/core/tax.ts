import type Stripe from "stripe";
import * as v from "valibot";
import { noAutomaticTax, type Tax, taxRateObject } from "./objects/tax.ts";
import { flag, text } from "./parameters.ts";

/** Ids of tax rates. An empty text removes all. */
export const TaxRates = v.union([v.array(text), v.literal("")]);

const AutomaticTax = v.strictObject({
  enabled: flag,
  liability: v.optional(v.strictObject({ type: v.picklist(["account", "self"]), account: v.optional(text) })),
});

/** The parameters of a subscription and of a phase, besides the `tax_rates` of their items. */
export const taxParams = {
  automatic_tax: v.optional(AutomaticTax),
  default_tax_rates: v.optional(TaxRates),
};
const TaxParams = v.object({
  ...taxParams,
  items: v.optional(v.array(v.object({ tax_rates: v.optional(TaxRates) }))),
});

const ratesOf = (ids: v.InferOutput<typeof TaxRates>): Stripe.TaxRate[] => (ids === "" ? [] : ids.map(taxRateObject));

/** The tax settings that parameters change. */
export function taxOf({ automatic_tax: automatic, default_tax_rates, items }: v.InferOutput<typeof TaxParams>): Tax {
  const tax_rates = items?.[0]?.tax_rates;
  const liability = automatic?.enabled ? (automatic.liability ?? { type: "self" as const }) : null;
  return {
    ...(automatic && { automatic_tax: { enabled: automatic.enabled, disabled_reason: null, liability } }),
    ...(default_tax_rates !== undefined && { default_tax_rates: ratesOf(default_tax_rates) }),
    ...(tax_rates !== undefined && { tax_rates: ratesOf(tax_rates) }),
  };
}

/** The tax settings of a subscription and its item. */
export const currentTax = ({ automatic_tax, default_tax_rates, items }: Stripe.Subscription): Tax => ({
  automatic_tax,
  default_tax_rates: default_tax_rates ?? [],
  tax_rates: items.data[0]?.tax_rates ?? [],
});

/** A subscription with other tax settings. Those that are absent stay. */
export function withTax(subscription: Stripe.Subscription, { tax_rates, ...settings }: Tax): Stripe.Subscription {
  const { automatic_tax, default_tax_rates, items } = subscription;
  const data = tax_rates ? items.data.map((item) => ({ ...item, tax_rates })) : items.data;
  return {
    ...subscription,
    automatic_tax: settings.automatic_tax ?? automatic_tax,
    default_tax_rates: settings.default_tax_rates ?? default_tax_rates ?? [],
    items: { ...items, data },
  };
}

/** A subscription with the tax settings of a phase, and without those that the phase leaves out. */
export const withTaxOfPhase = (
  subscription: Stripe.Subscription,
  phase: Stripe.SubscriptionSchedule.Phase,
): Stripe.Subscription =>
  withTax(subscription, {
    automatic_tax: phase.automatic_tax ?? noAutomaticTax,
    default_tax_rates: phase.default_tax_rates ?? [],
    tax_rates: phase.items[0]?.tax_rates ?? [],
  });
