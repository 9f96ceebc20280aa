import type Stripe from "stripe";

/** An id that Stripe does not know, so that a probe that is allowed is refused for that, and changes nothing. */
const nobody = "odis_probe";
const one = { limit: 1 };

/** For each permission of a restricted key a call that needs it and has no effect. */
const probes = {
  "billing_portal:write": (stripe: Stripe) => stripe.billingPortal.sessions.create({ customer: `cus_${nobody}` }),
  "charges:read": (stripe: Stripe) => stripe.charges.list(one),
  "checkout_sessions:write": (stripe: Stripe) => stripe.checkout.sessions.expire(`cs_${nobody}`),
  "coupons:read": (stripe: Stripe) => stripe.coupons.list(one),
  "customers:read": (stripe: Stripe) => stripe.customers.list(one),
  "customers:write": (stripe: Stripe) => stripe.customers.update(`cus_${nobody}`, { metadata: {} }),
  "disputes:read": (stripe: Stripe) => stripe.disputes.list(one),
  "events:read": (stripe: Stripe) => stripe.events.list(one),
  "invoices:read": (stripe: Stripe) => stripe.invoices.list(one),
  "invoices:write": (stripe: Stripe) => stripe.invoices.update(`in_${nobody}`, { metadata: {} }),
  "payment_methods:read": (stripe: Stripe) => stripe.paymentMethods.retrieve(`pm_${nobody}`),
  "prices:write": (stripe: Stripe) => stripe.prices.update(`price_${nobody}`, { metadata: {} }),
  "products:write": (stripe: Stripe) => stripe.products.update(`prod_${nobody}`, { metadata: {} }),
  "refunds:read": (stripe: Stripe) => stripe.refunds.list(one),
  "refunds:write": (stripe: Stripe) => stripe.refunds.update(`re_${nobody}`, { metadata: {} }),
  "subscription_schedules:write": (stripe: Stripe) => stripe.subscriptionSchedules.release(`sub_sched_${nobody}`),
  "subscriptions:read": (stripe: Stripe) => stripe.subscriptions.list(one),
  "subscriptions:write": (stripe: Stripe) => stripe.subscriptions.update(`sub_${nobody}`, { metadata: {} }),
} as const;

export type Permission = keyof typeof probes;

/** What a restricted key must be allowed: that of all functions, and one for routes that only read. Writing includes reading. */
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

/** The permissions that a key lacks, found out by calls that change nothing. */
export async function missingPermissions(stripe: Stripe, wanted: readonly Permission[]): Promise<Permission[]> {
  const missing: Permission[] = [];
  for (const permission of wanted)
    await probes[permission](stripe).catch(({ type }: { type?: string }) => {
      if (type === "StripePermissionError") missing.push(permission);
      else if (type !== "StripeInvalidRequestError") throw new Error(`Stripe did not answer: ${type}`);
    });
  return missing;
}
