import type Stripe from "stripe";
import { type Interval, planObject } from "./catalog.ts";
import { list } from "./common.ts";

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

type SubscriptionFields = Omit<ItemFields, "subscription"> & {
  readonly itemId: string;
  readonly customer: string;
  readonly status: Stripe.Subscription.Status;
  readonly trialEnd: number | null;
  readonly defaultPaymentMethod: string | null;
  readonly description: string | null;
  readonly metadata: Stripe.Metadata;
};

/** A new subscription, at the start of its first period. */
export function subscriptionObject(given: SubscriptionFields): Stripe.Subscription {
  const { id, itemId, period, trialEnd } = given;
  return {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: trialEnd ?? period.start,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: period.start,
    currency: given.price.currency,
    customer: given.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: given.defaultPaymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: given.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: list(`/v1/subscription_items?subscription=${id}`, [itemObject({ ...given, id: itemId, subscription: id })]),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: given.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: period.start,
    status: given.status,
    test_clock: null,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" } },
    trial_start: trialEnd === null ? null : period.start,
  };
}
