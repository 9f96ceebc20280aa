import type Stripe from "stripe";

type Details = {
  readonly code?: string;
  readonly param?: string;
  readonly [other: string]: unknown;
};

/** An error response in Stripe's format. */
export class ApiFailure extends Error {
  readonly status: number;
  /** Whether the changes before a 402 are kept. */
  isKept = true;
  headers: Readonly<Record<string, string>> = {};
  readonly body: { readonly error: Details & { readonly type: string; readonly message: string } };

  constructor(status: number, type: string, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    const docs = details.code && {
      doc_url: `https://docs.stripe.com/error-codes/${details.code.replaceAll("_", "-")}`,
    };
    this.body = { error: { type, message, ...details, ...docs } };
  }
}

export const invalid = (message: string, details?: Details, status = 400): ApiFailure =>
  new ApiFailure(status, "invalid_request_error", message, details);

/** The object in the path does not exist. */
export const notFound = (kind: string, id: string, param = "id"): ApiFailure =>
  invalid(`No such ${kind}: '${id}'`, { code: "resource_missing", param }, 404);

/** The object in a parameter does not exist. */
export const noSuch = (kind: string, id: string, param: string): ApiFailure =>
  invalid(`No such ${kind}: '${id}'`, { code: "resource_missing", param });

/**
 * Refuses a request for a part of Stripe that the stand-in does not model. A refusal is safer than a wrong result about
 * money.
 */
export const notModelled = (what: string, param?: string): ApiFailure =>
  invalid(`The local Stripe does not model ${what}.`, param === undefined ? {} : { param });

type Kept = { readonly isKept?: boolean };

/** A payment was attempted and declined. */
export const cardDeclined = (charge: Stripe.Charge, { isKept: kept = true }: Kept = {}): ApiFailure =>
  refusedPayment("Your card was declined.", kept, {
    code: "card_declined",
    decline_code: "generic_decline",
    charge: charge.id,
  });

/** Too many requests. Stripe counts them before idempotency keys, so that the same key can be used again. */
export function rateLimited(reason: "endpoint-rate" | "resource-specific"): ApiFailure {
  const words = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.";
  const failure = invalid(words, { code: "rate_limit" }, 429);
  failure.headers = { "stripe-rate-limited-reason": reason };
  return failure;
}

/** The bank asks the customer to confirm a payment, as with 3D Secure. */
export const authenticationRequired = (
  payer: "invoice" | "subscription",
  { isKept: kept = true }: Kept = {},
): ApiFailure =>
  refusedPayment(
    "This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.",
    kept,
    { code: `${payer}_payment_intent_requires_action` },
  );

function refusedPayment(message: string, kept: boolean, details: Details): ApiFailure {
  const failure = new ApiFailure(402, "card_error", message, details);
  failure.isKept = kept;
  return failure;
}

/** Whether the changes before a failure are kept, as for a declined payment. */
export const isKept = (failure: unknown): boolean =>
  failure instanceof ApiFailure && failure.status === 402 && failure.isKept;
