import type Stripe from "stripe";
import { nulls } from "./common.ts";

/** The tax settings of a subscription or a phase, and the tax rates of its item. Those that are absent are not set. */
export type Tax = Pick<Stripe.SubscriptionSchedule.Phase, "automatic_tax" | "default_tax_rates"> & {
  readonly tax_rates?: Stripe.TaxRate[];
};

/** A tax rate of which only the id is known. */
export const taxRateObject = (id: string): Stripe.TaxRate => ({
  id,
  object: "tax_rate",
  active: true,
  created: 0,
  display_name: "Tax",
  inclusive: false,
  livemode: false,
  metadata: {},
  percentage: 0,
  ...nulls("country description effective_percentage flat_amount jurisdiction jurisdiction_level rate_type state"),
  ...nulls("tax_type"),
});

export const noAutomaticTax = { disabled_reason: null, enabled: false, liability: null } as const;
