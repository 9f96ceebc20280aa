/** The resources of Stripe's client that Odis uses. The build removes all others from the bundles. */
export const resources = [
  "billingPortal",
  "charges",
  "checkout",
  "customers",
  "disputes",
  "events",
  "invoicePayments",
  "invoices",
  "prices",
  "products",
  "refunds",
  "subscriptionSchedules",
  "subscriptions",
] as const;

export type Resource = (typeof resources)[number];
