import type Stripe from "stripe";
import { type Interval, planObject } from "./catalog.ts";
import { list, nulls } from "./common.ts";
import { noAutomaticTax } from "./tax.ts";

export type Period = { readonly start: number; readonly end: number };

type ItemFields = {
  readonly id: string;
  readonly subscription: string;
  readonly price: Stripe.Price;
  readonly interval: Interval;
  readonly quantity: number;
  readonly period: Period;
};

const itemObject = ({ id, subscription, price, interval, quantity, period }: ItemFields): Stripe.SubscriptionItem => ({
  id,
  object: "subscription_item",
  billing_thresholds: null,
  created: period.start,
  current_period_end: period.end,
  current_period_start: period.start,
  current_trial: null,
  discounts: [],
  metadata: {},
  plan: planObject(price, interval),
  price,
  quantity,
  subscription,
  tax_rates: [],
});

type NewSubscription = Omit<ItemFields, "subscription"> & {
  readonly itemId: string;
  readonly savesCard: boolean;
  readonly given: Pick<
    Stripe.Subscription,
    "customer" | "status" | "trial_end" | "default_payment_method" | "description" | "metadata"
  >;
};

/** A new subscription, at the start of its first period. */
export function subscriptionObject({ id, itemId, savesCard, given, ...item }: NewSubscription): Stripe.Subscription {
  const { start } = item.period;
  return {
    ...given,
    id,
    object: "subscription",
    automatic_tax: noAutomaticTax,
    billing_cycle_anchor: given.trial_end ?? start,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    cancel_at_period_end: false,
    cancellation_details: nulls("comment feedback feedback_option reason"),
    collection_method: "charge_automatically",
    created: start,
    currency: item.price.currency,
    default_tax_rates: [],
    discounts: [],
    invoice_settings: { ...nulls("account_tax_ids custom_fields description footer"), issuer: { type: "self" } },
    items: list(`/v1/subscription_items?subscription=${id}`, [itemObject({ ...item, id: itemId, subscription: id })]),
    livemode: false,
    payment_settings: {
      ...nulls("payment_method_options payment_method_types"),
      save_default_payment_method: savesCard ? "on_subscription" : "off",
    },
    start_date: start,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" } },
    trial_start: given.trial_end === null ? null : start,
    ...nulls(
      "application application_fee_percent billing_cycle_anchor_config billing_thresholds cancel_at canceled_at",
    ),
    ...nulls("customer_account days_until_due default_source ended_at latest_invoice managed_payments"),
    ...nulls("next_pending_invoice_item_invoice on_behalf_of pause_collection pending_invoice_item_interval"),
    ...nulls("pending_setup_intent pending_update schedule test_clock transfer_data"),
  };
}
