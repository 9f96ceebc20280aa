import type { ProblemCode } from "../problem.ts";

/** What every error of Stripe means for a caller, by the type that Stripe's client gives it. */
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

/** What Stripe says is wrong with a request. */
export type Refusal = { readonly code: string; readonly param: string; readonly message: string };

/** What Stripe was asked for, where some of its refusals mean something exact. */
export type Asked = "refund" | "cancellation" | "details" | "portal" | "checkout" | "customer" | "expiry" | "address";

type Rule = {
  readonly asked: Asked;
  /** Properties of the refusal. Properties that are not listed may have any value. */
  readonly says: { readonly code?: string; readonly param?: string; readonly message?: RegExp };
} & (
  | { readonly problem: ProblemCode }
  /** The action taken instead of failing. */
  | { readonly instead: "new_customer" | "new_configuration" | "without_email" | "go_on" }
);

const unknownCustomer = { code: "resource_missing", message: /No such customer/ };

/**
 * Refusals with a more exact meaning than `payment_processor_refused`; the first that fits counts. Stripe gives no code
 * for an amount that is too large, for a subscription that is already canceled, and for a session that is not open.
 */
export const rules: readonly Rule[] = [
  { asked: "refund", says: { code: "charge_already_refunded" }, problem: "charge_already_refunded" },
  { asked: "refund", says: { code: "charge_disputed" }, problem: "charge_disputed" },
  { asked: "refund", says: { code: "refund_disputed_payment" }, problem: "charge_disputed" },
  { asked: "refund", says: { code: "charge_not_refundable" }, problem: "nothing_to_refund" },
  { asked: "refund", says: { code: "resource_missing" }, problem: "not_found" },
  { asked: "refund", says: { code: "amount_too_large" }, problem: "amount_exceeds_refundable" },
  { asked: "refund", says: { param: "amount" }, problem: "amount_exceeds_refundable" },
  { asked: "cancellation", says: { code: "resource_missing" }, problem: "subscription_already_canceled" },
  {
    asked: "cancellation",
    says: { code: "invalid_canceled_subscription_fields" },
    problem: "subscription_already_canceled",
  },
  {
    asked: "cancellation",
    says: { message: /canceled subscription can only update/i },
    problem: "subscription_already_canceled",
  },
  { asked: "details", says: { code: "resource_missing" }, problem: "no_subscription" },
  { asked: "portal", says: unknownCustomer, problem: "no_subscription" },
  { asked: "portal", says: { message: /configuration/ }, instead: "new_configuration" },
  { asked: "portal", says: { code: "url_invalid" }, problem: "validation_failed" },
  { asked: "checkout", says: unknownCustomer, instead: "new_customer" },
  // The price of the tier was archived in Stripe's dashboard.
  { asked: "checkout", says: { message: /price specified is inactive/ }, problem: "unknown_tier" },
  { asked: "checkout", says: { code: "url_invalid" }, problem: "validation_failed" },
  { asked: "customer", says: { param: "email" }, instead: "without_email" },
  { asked: "customer", says: unknownCustomer, instead: "go_on" },
  { asked: "expiry", says: { message: /status of `complete`/ }, problem: "already_a_member" },
  { asked: "expiry", says: { message: /can be expired/ }, instead: "go_on" },
  { asked: "expiry", says: { code: "resource_missing" }, instead: "go_on" },
  { asked: "address", says: unknownCustomer, instead: "go_on" },
];

/** Returns the rule for a refusal. Undefined if the response is `payment_processor_refused`. */
export const ruleFor = (asked: Asked, refusal: Refusal): Rule | undefined =>
  rules.find((rule) => rule.asked === asked && fits(rule.says, refusal));

const fits = (says: Rule["says"], { code, param, message }: Refusal): boolean =>
  (says.code === undefined || says.code === code) &&
  (says.param === undefined || says.param === param) &&
  (says.message === undefined || says.message.test(message));
