/** The resources of Stripe that we use. Bundles have no others, so a new one must be named here first. */
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
