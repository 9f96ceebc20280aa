import type Stripe from "stripe";

const docs = "https://docs.stripe.com";
export const prorations = `${docs}/billing/subscriptions/prorations`;
export const creditProrations = `${prorations}#credit-prorations`;
export const discounts = `${prorations}#prorations-and-discounts`;
export const flexible = `${docs}/billing/subscriptions/billing-mode/compare`;
export const changePrice = `${docs}/billing/subscriptions/change-price`;
export const periods = `${changePrice}#billing-periods`;
export const zeroAmounts = `${changePrice}#handle-zero-amount-prices-and-quantities`;
export const billingCycle = `${docs}/billing/subscriptions/billing-cycle`;
export const resetPeriod = `${billingCycle}#reset-the-billing-period-to-the-current-time`;
export const balance = `${docs}/billing/customer/balance`;
export const update = `${docs}/api/subscriptions/update`;

export type Step = Omit<Stripe.SubscriptionUpdateParams, "items" | "proration_date"> & {
  readonly at: string;
  /** The amount of the new price. Without it, only the clock moves. */
  readonly to?: number;
  readonly interval?: "month" | "year";
  readonly quantity?: number;
  readonly coupon?: object;
  readonly proration_date?: string;
  /** Keeps the price. */
  readonly same?: true;
};

export type Row = {
  readonly what: string;
  /** Where Stripe documents it. */
  readonly address: string;
  readonly begins: string;
  /** The first price, in cents. */
  readonly from: number;
  readonly interval?: "month" | "year";
  readonly quantity?: number;
  readonly trialDays?: number;
  readonly steps: readonly Step[];
  /** The latest invoice: its lines, what is due, and the balance afterwards. */
  readonly lines: readonly number[];
  readonly due: number;
  readonly balance?: number;
};

export const always = { proration_behavior: "always_invoice" } as const;
export const none = { proration_behavior: "none" } as const;
export const now = { billing_cycle_anchor: { type: "now" } } as const;
