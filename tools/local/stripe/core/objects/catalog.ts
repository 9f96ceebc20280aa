import type Stripe from "stripe";
import { decimal } from "./common.ts";

type ProductFields = {
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly active?: boolean;
  readonly description?: string;
  readonly metadata?: Stripe.Metadata;
};

export const productObject = ({ id, name, created, active = true, ...given }: ProductFields): Stripe.Product => ({
  id,
  object: "product",
  active,
  created,
  default_price: null,
  description: given.description ?? null,
  images: [],
  livemode: false,
  marketing_features: [],
  metadata: given.metadata ?? {},
  name,
  package_dimensions: null,
  shippable: null,
  statement_descriptor: null,
  tax_code: null,
  tax_details: null,
  type: "service",
  unit_label: null,
  updated: created,
  url: null,
});

export type Interval = { readonly interval: Stripe.Price.Recurring.Interval; readonly interval_count: number };

type PriceFields = {
  readonly id: string;
  readonly product: string;
  readonly unit_amount: number;
  readonly currency: string;
  readonly created: number;
  /** Left out for a one-time price. */
  readonly recurring?: Interval;
  readonly active?: boolean;
  readonly nickname?: string;
  readonly lookup_key?: string;
  readonly metadata?: Stripe.Metadata;
};

export const priceObject = ({ id, recurring, unit_amount, active = true, ...given }: PriceFields): Stripe.Price => ({
  id,
  object: "price",
  active,
  billing_scheme: "per_unit",
  created: given.created,
  currency: given.currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: given.lookup_key ?? null,
  metadata: given.metadata ?? {},
  nickname: given.nickname ?? null,
  product: given.product,
  recurring: recurring ? { ...recurring, meter: null, trial_period_days: null, usage_type: "licensed" } : null,
  tax_behavior: "unspecified",
  tiers_mode: null,
  transform_quantity: null,
  type: recurring ? "recurring" : "one_time",
  unit_amount,
  unit_amount_decimal: decimal(unit_amount),
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
  meter: null,
  nickname: price.nickname,
  product: price.product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: "licensed",
});
