import type Stripe from "stripe";
import { planObject } from "./catalog.ts";
import { idOf, nulls } from "./common.ts";
import type { Tax } from "./tax.ts";

export type NewPhase = {
  readonly price: Stripe.Price;
  readonly quantity: number;
  readonly start: number;
  readonly end: number;
  /** The ids of the discounts of the subscription. */
  readonly discounts: readonly string[];
  readonly tax: Tax;
  readonly metadata?: Stripe.Metadata;
  readonly behavior?: Stripe.SubscriptionSchedule.Phase.ProrationBehavior;
  readonly anchor?: Stripe.SubscriptionSchedule.Phase.BillingCycleAnchor | null;
  readonly trialEnd?: number | null;
};

type NewSchedule = {
  readonly id: string;
  readonly created: number;
  readonly subscription: Stripe.Subscription;
  readonly phases: readonly NewPhase[];
  /** The default payment method, which the subscription gets when a phase begins. */
  readonly card: string | null;
};

export const phaseObject = ({ price, quantity, tax, ...phase }: NewPhase): Stripe.SubscriptionSchedule.Phase => ({
  add_invoice_items: [],
  ...(tax.automatic_tax && { automatic_tax: tax.automatic_tax }),
  billing_cycle_anchor: phase.anchor ?? null,
  currency: price.currency,
  default_tax_rates: tax.default_tax_rates ?? [],
  discounts: phase.discounts.map((discount) => ({ coupon: null, discount, promotion_code: null })),
  end_date: phase.end,
  items: [
    {
      billing_thresholds: null,
      discounts: [],
      metadata: {},
      plan: price.recurring ? planObject(price, price.recurring).id : price.id,
      price: price.id,
      quantity,
      tax_rates: tax.tax_rates ?? [],
    },
  ],
  metadata: phase.metadata ?? {},
  proration_behavior: phase.behavior ?? "none",
  start_date: phase.start,
  trial_end: phase.trialEnd ?? null,
  ...nulls("application_fee_percent billing_thresholds collection_method"),
  ...nulls("default_payment_method description invoice_settings on_behalf_of transfer_data"),
});

/** A schedule of a running subscription, in its first phase. */
export function scheduleObject({ id, created, subscription, phases, card }: NewSchedule): Stripe.SubscriptionSchedule {
  const [first] = phases;
  return {
    id,
    object: "subscription_schedule",
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    created,
    current_phase: first ? { start_date: first.start, end_date: first.end } : null,
    customer: idOf(subscription.customer) ?? "",
    default_settings: {
      billing_cycle_anchor: "automatic",
      collection_method: "charge_automatically",
      invoice_settings: {
        ...nulls("account_tax_ids custom_fields days_until_due description footer"),
        issuer: { type: "self" },
      },
      default_payment_method: card,
      ...nulls("application_fee_percent billing_thresholds description"),
      ...nulls("on_behalf_of transfer_data"),
    },
    end_behavior: "release",
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: phases.map(phaseObject),
    status: "active",
    subscription: subscription.id,
    ...nulls("application canceled_at completed_at customer_account released_at released_subscription test_clock"),
  };
}
