import type Stripe from "stripe";
import { decimal, nulls } from "./common.ts";

type NewProduct = Partial<Stripe.Product> & Pick<Stripe.Product, "id" | "name" | "created">;

export const productObject = (given: NewProduct): Stripe.Product => ({
  object: "product",
  active: true,
  images: [],
  livemode: false,
  marketing_features: [],
  metadata: {},
  type: "service",
  updated: given.created,
  ...nulls("default_price description package_dimensions shippable statement_descriptor tax_code tax_details"),
  ...nulls("unit_label url"),
  ...given,
});

export type Interval = { readonly interval: Stripe.Price.Recurring.Interval; readonly interval_count: number };

type NewPrice = Omit<Partial<Stripe.Price>, "recurring"> &
  Pick<Stripe.Price, "id" | "created" | "currency" | "product"> & {
    readonly unit_amount: number;
    /** Left out for a one-time price. */
    readonly recurring?: Interval;
  };

export const priceObject = ({ recurring, ...given }: NewPrice): Stripe.Price => ({
  object: "price",
  active: true,
  billing_scheme: "per_unit",
  livemode: false,
  metadata: {},
  tax_behavior: "unspecified",
  ...nulls("custom_unit_amount lookup_key nickname tiers_mode transform_quantity"),
  ...given,
  recurring: recurring ? { ...recurring, ...nulls("meter trial_period_days"), usage_type: "licensed" } : null,
  type: recurring ? "recurring" : "one_time",
  unit_amount_decimal: decimal(given.unit_amount),
});

/** The older form of a recurring price, which subscription items still have. */
export const planObject = (price: Stripe.Price, { interval, interval_count }: Interval): Stripe.Plan => ({
  id: price.id,
  object: "plan",
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: price.unit_amount_decimal,
  billing_scheme: price.billing_scheme,
  created: price.created,
  currency: price.currency,
  interval,
  interval_count,
  livemode: false,
  metadata: price.metadata,
  nickname: price.nickname,
  product: price.product,
  usage_type: "licensed",
  ...nulls("meter tiers_mode transform_usage trial_period_days"),
});
