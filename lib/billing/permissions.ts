import type Stripe from "stripe";

/** Suffix of ids that Stripe does not know, so that a permitted probe fails without any effect. */
const unknownId = "odis_probe";
const firstItem = { limit: 1 };

/** For each permission of a restricted key, a call that requires the permission and has no effect. */
const probes = {
  "billing_portal:write": (stripe: Stripe) => stripe.billingPortal.sessions.create({ customer: `cus_${unknownId}` }),
  "charges:read": (stripe: Stripe) => stripe.charges.list(firstItem),
  "checkout_sessions:write": (stripe: Stripe) => stripe.checkout.sessions.expire(`cs_${unknownId}`),
  "coupons:read": (stripe: Stripe) => stripe.coupons.list(firstItem),
  "customers:read": (stripe: Stripe) => stripe.customers.list(firstItem),
  "customers:write": (stripe: Stripe) => stripe.customers.update(`cus_${unknownId}`, { metadata: {} }),
  "disputes:read": (stripe: Stripe) => stripe.disputes.list(firstItem),
  "events:read": (stripe: Stripe) => stripe.events.list(firstItem),
  "invoices:read": (stripe: Stripe) => stripe.invoices.list(firstItem),
  "invoices:write": (stripe: Stripe) => stripe.invoices.update(`in_${unknownId}`, { metadata: {} }),
  "payment_methods:read": (stripe: Stripe) => stripe.paymentMethods.retrieve(`pm_${unknownId}`),
  "prices:write": (stripe: Stripe) => stripe.prices.update(`price_${unknownId}`, { metadata: {} }),
  "products:write": (stripe: Stripe) => stripe.products.update(`prod_${unknownId}`, { metadata: {} }),
  "refunds:read": (stripe: Stripe) => stripe.refunds.list(firstItem),
  "refunds:write": (stripe: Stripe) => stripe.refunds.update(`re_${unknownId}`, { metadata: {} }),
  "subscription_schedules:write": (stripe: Stripe) => stripe.subscriptionSchedules.release(`sub_sched_${unknownId}`),
  "subscriptions:read": (stripe: Stripe) => stripe.subscriptions.list(firstItem),
  "subscriptions:write": (stripe: Stripe) => stripe.subscriptions.update(`sub_${unknownId}`, { metadata: {} }),
} as const;

export type Permission = keyof typeof probes;

/**
 * Required permissions of the restricted keys: the key of all functions, and the key of the routes that only read. A
 * write permission includes the read permission.
 */
export const permissions = {
  write: [
    "billing_portal:write",
    "charges:read",
    "checkout_sessions:write",
    "coupons:read",
    "customers:write",
    "disputes:read",
    "events:read",
    "invoices:write",
    "payment_methods:read",
    "prices:write",
    "products:write",
    "refunds:write",
    "subscription_schedules:write",
    "subscriptions:write",
  ],
  read: [
    "charges:read",
    "coupons:read",
    "customers:read",
    "disputes:read",
    "invoices:read",
    "payment_methods:read",
    "refunds:read",
    "subscriptions:read",
  ],
} as const satisfies Record<string, readonly Permission[]>;

/**
 * Returns the permissions that the key of a client lacks. Tests each with a call that has no effect.
 *
 * @throws Error if Stripe fails to answer
 */
export async function missingPermissions(stripe: Stripe, required: readonly Permission[]): Promise<Permission[]> {
  const missing: Permission[] = [];
  for (const permission of required)
    await probes[permission](stripe).catch(({ type }: { type?: string }) => {
      if (type === "StripePermissionError") missing.push(permission);
      else if (type !== "StripeInvalidRequestError") throw new Error(`Stripe did not answer: ${type}`);
    });
  return missing;
}
