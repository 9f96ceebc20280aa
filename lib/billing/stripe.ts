import Stripe from "stripe";
import { env } from "../env.ts";
import { addLogFields, measure } from "../log.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { machine } from "../runtime.ts";
import { readStripeKey, type StripeSecret } from "../secrets.ts";
import { errorTypes, otherMode, type Refusal, ruleFor, type StripeRequest } from "./refusals.ts";
import type { Resource } from "./resources.ts";

/**
 * Calls Stripe within the time that remains for the current request.
 *
 * @throws Problem `payment_processor_refused` if Stripe rejects the request, `payment_processor_unavailable`,
 * `payment_processor_error`, `request_in_progress`, `timeout`
 */
export type Billing = <T>(
  call: (stripe: Pick<Stripe, Resource>, options: Stripe.RequestOptions) => Promise<T>,
  idempotencyKey?: string,
) => Promise<T>;

/** Creates the {@link Billing} of one request. `remainingMs` returns the time until its deadline, in milliseconds. */
export type OpenBilling = (remainingMs: () => number) => Billing;

/** Timeout of one attempt of a call to Stripe, in milliseconds. */
const callLimitMs = 8000;

/** Calls Stripe through the client that `client` returns. Retries a failed call once if the deadline allows it. */
export const billingOf =
  (client: (timeoutMs: number) => Promise<Stripe>): OpenBilling =>
  (remainingMs) =>
  async (call, idempotencyKey) => {
    const stripe = await client(remainingMs());
    const remaining = remainingMs();
    if (remaining <= 0) throw new Problem("timeout", { headers: retryAfter });
    const options = {
      timeout: Math.min(callLimitMs, remaining),
      maxNetworkRetries: remaining > 2 * callLimitMs ? 1 : 0,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    measure("stripe_calls");
    try {
      return await call(stripe, options);
    } catch (error) {
      throw translate(error, remainingMs() <= 0);
    }
  };

/**
 * Creates a Stripe client. `STRIPE_API_BASE` redirects it to a stand-in for Stripe.
 *
 * @throws Error if a live key would be sent to another host than Stripe's
 */
export function clientOf({ secret_key }: Pick<StripeSecret, "secret_key">, apiBase = env("STRIPE_API_BASE")): Stripe {
  if (!apiBase) return new Stripe(secret_key, { telemetry: false });
  if (!/^[sr]k_test_/.test(secret_key)) throw new Error("A live Stripe key must not go to another host than Stripe's");
  const { protocol, hostname, port } = new URL(apiBase);
  return new Stripe(secret_key, {
    host: hostname,
    port,
    protocol: protocol === "https:" ? "https" : "http",
    telemetry: false,
  });
}

let cached: { readonly key: string; readonly client: Stripe } | undefined;

/** Stripe for the deployed functions: one client per execution environment, replaced when the key changes. */
export const billing: OpenBilling = billingOf(async (timeoutMs) => {
  const { secret_key: key } = await readStripeKey(machine.deadline(timeoutMs));
  addLogFields({ stripe_key: `…${key.slice(-4)}` });
  if (cached?.key !== key) cached = { key, client: clientOf({ secret_key: key }) };
  return cached.client;
});

const retryAfter = { "retry-after": "5" };

/** Something of Stripe that the request needs is about to change. */
export const inProgress = (cause?: unknown): Problem =>
  new Problem("request_in_progress", { headers: retryAfter, cause });

/** Translates an error of Stripe or the network to a problem (`docs/api.md`, section 3, "Refusals"). Returns other errors unchanged. */
function translate(error: unknown, isLate: boolean): unknown {
  const { type = "", code, statusCode, message = "" } = error as Partial<Stripe.errors.StripeError>;
  if (type === "StripeAuthenticationError") measure("stripe_key_refused");
  if (code === "idempotency_key_in_use" || statusCode === 409) return inProgress(error);
  const isOurDeadline = isLate && type === "StripeConnectionError";
  const typeProblem = (errorTypes as Readonly<Partial<Record<string, ProblemCode>>>)[type];
  if (typeProblem === undefined) return error;
  const problem = otherMode.test(message) ? "payment_processor_error" : typeProblem;
  if (problem === "payment_processor_refused")
    return new Problem(problem, { more: { processor_code: code ?? null }, cause: error });
  return new Problem(isOurDeadline ? "timeout" : problem, { headers: retryAfter, cause: error });
}

/** Returns why Stripe refused a request. Undefined for every other failure. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Problem) || error.code !== "payment_processor_refused") return undefined;
  const { code = "", param = "", message = "" } = error.cause as Partial<Refusal>;
  return { code, param, message };
}

/** Returns the specific problem for a refusal (`refusals.ts`). Undefined if there is none. */
export function problemOf(request: StripeRequest, error: unknown): Problem | undefined {
  const refusal = refusalOf(error);
  const rule = refusal && ruleFor(request, refusal);
  return rule && "problem" in rule ? new Problem(rule.problem, { cause: error }) : undefined;
}

/** Returns the action to take instead of failing if Stripe refuses (`refusals.ts`). */
export function recoveryFrom(request: StripeRequest, error: unknown) {
  const refusal = refusalOf(error);
  const rule = refusal && ruleFor(request, refusal);
  return rule && "recovery" in rule ? rule.recovery : undefined;
}

/** Whether Stripe refused a request because the customer was deleted or never existed. */
export function isUnknownCustomer(error: unknown, customer: string): boolean {
  const refusal = refusalOf(error);
  if (refusal?.code !== "resource_missing") return false;
  return refusal.param === "customer" || refusal.message.includes(`'${customer}'`);
}

/** Awaits a request for an object of Stripe. Returns undefined if Stripe does not know the object. */
export const undefinedIfMissing = <T>(request: Promise<T>): Promise<T | undefined> =>
  request.catch((error: unknown) => {
    if (refusalOf(error)?.code !== "resource_missing") throw error;
    return undefined;
  });

/** Returns a `catch` handler that ignores the refusals with the recovery `ignore` and rethrows every other error. */
export const unlessIgnored =
  (request: StripeRequest) =>
  (error: unknown): void => {
    if (recoveryFrom(request, error) !== "ignore") throw error;
  };
