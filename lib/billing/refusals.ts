import type { ProblemCode } from "../problem.ts";

/** The problem that a caller receives for each error type of Stripe's client. */
export const errorTypes = {
  StripeInvalidRequestError: "payment_processor_refused",
  StripeCardError: "payment_processor_refused",
  StripeIdempotencyError: "payment_processor_refused",
  StripeAuthenticationError: "payment_processor_error",
  StripePermissionError: "payment_processor_error",
  StripeAPIError: "payment_processor_error",
  StripeRateLimitError: "payment_processor_unavailable",
  StripeConnectionError: "payment_processor_unavailable",
} as const satisfies Record<string, ProblemCode>;

/** Stripe's message about an object of the other mode than the key. With the right key, the object is not missing. */
export const otherMode = /a similar object exists in/;

/** A refusal by Stripe: error code, name of the parameter and message. Empty strings where Stripe omits them. */
export type Refusal = { readonly code: string; readonly param: string; readonly message: string };

/** The kinds of requests to Stripe whose refusals have rules. */
export type StripeRequest =
  | "refund"
  | "cancellation"
  | "change"
  | "details"
  | "portal"
  | "checkout"
  | "customer"
  | "expiry"
  | "release"
  | "address";

type RefusalRule = {
  readonly request: StripeRequest;
  /** Properties of the refusal. Properties that are not listed may have any value. */
  readonly when: { readonly code?: string; readonly param?: string; readonly message?: RegExp };
} & (
  | { readonly problem: ProblemCode }
  /** The recovery that Odis performs, so that the request does not fail. */
  | { readonly recovery: "new_customer" | "new_configuration" | "without_email" | "checkout" | "ignore" }
);

const unknownCustomer = { code: "resource_missing", message: /No such customer/ };

/**
 * Refusals with a more specific response than `payment_processor_refused`. The first rule that matches applies. Some match
 * the message, because Stripe gives no code for them.
 */
export const refusalRules: readonly RefusalRule[] = [
  { request: "refund", when: { code: "charge_already_refunded" }, problem: "charge_already_refunded" },
  { request: "refund", when: { code: "charge_disputed" }, problem: "charge_disputed" },
  { request: "refund", when: { code: "refund_disputed_payment" }, problem: "charge_disputed" },
  { request: "refund", when: { code: "charge_not_refundable" }, problem: "nothing_to_refund" },
  { request: "refund", when: { code: "resource_missing" }, problem: "not_found" },
  { request: "refund", when: { code: "amount_too_large" }, problem: "amount_exceeds_refundable" },
  { request: "refund", when: { param: "amount" }, problem: "amount_exceeds_refundable" },
  { request: "cancellation", when: { code: "resource_missing" }, problem: "subscription_already_canceled" },
  {
    request: "cancellation",
    when: { code: "invalid_canceled_subscription_fields" },
    problem: "subscription_already_canceled",
  },
  {
    request: "cancellation",
    when: { message: /canceled subscription can only update/i },
    problem: "subscription_already_canceled",
  },
  { request: "change", when: { message: /no attached payment source/ }, recovery: "checkout" },
  // The price or the product of the tier was archived in Stripe's dashboard.
  { request: "change", when: { message: /price specified is inactive/ }, problem: "unknown_tier" },
  { request: "change", when: { message: /is marked as inactive/ }, problem: "unknown_tier" },
  { request: "change", when: { message: /No such price/ }, problem: "unknown_tier" },
  // A period has begun since the preview.
  { request: "change", when: { param: "proration_date" }, problem: "preview_expired" },
  { request: "change", when: { message: /proration date/i }, problem: "preview_expired" },
  { request: "change", when: { code: "invoice_upcoming_none" }, problem: "subscription_not_managed" },
  { request: "change", when: { code: "invalid_canceled_subscription_fields" }, problem: "subscription_not_managed" },
  {
    request: "change",
    when: { message: /canceled subscription can only update/i },
    problem: "subscription_not_managed",
  },
  { request: "details", when: { code: "resource_missing" }, problem: "no_subscription" },
  { request: "portal", when: unknownCustomer, problem: "no_subscription" },
  { request: "portal", when: { message: /configuration/ }, recovery: "new_configuration" },
  { request: "portal", when: { code: "url_invalid" }, problem: "validation_failed" },
  { request: "checkout", when: unknownCustomer, recovery: "new_customer" },
  // The price or the product of the tier was archived in Stripe's dashboard.
  { request: "checkout", when: { message: /price specified is inactive/ }, problem: "unknown_tier" },
  { request: "checkout", when: { message: /product is not active/ }, problem: "unknown_tier" },
  { request: "checkout", when: { code: "url_invalid" }, problem: "validation_failed" },
  { request: "customer", when: { param: "email" }, recovery: "without_email" },
  { request: "customer", when: unknownCustomer, recovery: "ignore" },
  { request: "expiry", when: { message: /status of `complete`/ }, problem: "already_a_member" },
  { request: "expiry", when: { message: /can be expired/ }, recovery: "ignore" },
  { request: "expiry", when: { code: "resource_missing" }, recovery: "ignore" },
  // Another request has released the schedule.
  { request: "release", when: { message: /release a subscription schedule that is currently/ }, recovery: "ignore" },
  { request: "address", when: unknownCustomer, recovery: "ignore" },
  { request: "address", when: { param: "shipping[name]" }, problem: "validation_failed" },
];

/** Returns the rule for a refusal. Undefined if the response is `payment_processor_refused`. */
export const ruleFor = (request: StripeRequest, refusal: Refusal): RefusalRule | undefined =>
  refusalRules.find((rule) => rule.request === request && matches(rule.when, refusal));

const matches = (when: RefusalRule["when"], { code, param, message }: Refusal): boolean =>
  (when.code === undefined || when.code === code) &&
  (when.param === undefined || when.param === param) &&
  (when.message === undefined || when.message.test(message));
