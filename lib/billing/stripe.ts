import Stripe from "stripe";
import { env } from "../env.ts";
import { measure } from "../log.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { machine } from "../runtime.ts";
import { readStripeKey, type StripeSecret } from "../secrets.ts";
import { type Asked, errorTypes, type Refusal, ruleFor } from "./refusals.ts";
import type { Resource } from "./resources.ts";

/**
 * Calls Stripe, within the time that is left for the request.
 *
 * @throws Problem `payment_processor_refused` if Stripe rejects the request, `payment_processor_unavailable`,
 * `payment_processor_error`, `request_in_progress`, `timeout`
 */
export type Billing = <T>(
  ask: (stripe: Pick<Stripe, Resource>, options: Stripe.RequestOptions) => Promise<T>,
  idempotencyKey?: string,
) => Promise<T>;

/** Creates a Stripe client for one request. `left` returns how many milliseconds it has left. */
export type OpenBilling = (left: () => number) => Billing;

/** The most that one call to Stripe may take, in milliseconds. */
const callLimit = 8000;

/** Stripe through one client. A call is retried once where there is time for it. */
export const billingOf =
  (client: (timeoutMs: number) => Promise<Stripe>): OpenBilling =>
  (left) =>
  async (ask, idempotencyKey) => {
    const stripe = await client(left());
    const remaining = left();
    if (remaining <= 0) throw new Problem("timeout", { headers: retryAfter });
    const options = {
      timeout: Math.min(callLimit, remaining),
      maxNetworkRetries: remaining > 2 * callLimit ? 1 : 0,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    measure("stripe_calls");
    try {
      return await ask(stripe, options);
    } catch (error) {
      throw translate(error, left() <= 0);
    }
  };

/**
 * The Stripe client of an execution environment. `STRIPE_API_BASE` redirects it to a stand-in, which never sees a real
 * key.
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

let current: { readonly key: string; readonly client: Stripe } | undefined;

/** Stripe as the deployed functions reach it: one client per execution environment, until the key is another. */
export const billing: OpenBilling = billingOf(async (timeoutMs) => {
  const { secret_key: key } = await readStripeKey(machine.deadline(timeoutMs));
  if (current?.key !== key) current = { key, client: clientOf({ secret_key: key }) };
  return current.client;
});

const retryAfter = { "retry-after": "5" };

/** The problem for an error of Stripe or the network; other errors as they are (`docs/api.md`, section 3, "Refusals"). */
function translate(error: unknown, isLate: boolean): unknown {
  const { type = "", code, statusCode } = error as { type?: string; code?: string; statusCode?: number };
  if (code === "idempotency_key_in_use" || statusCode === 409)
    return new Problem("request_in_progress", { headers: retryAfter, cause: error });
  const isOurDeadline = isLate && type === "StripeConnectionError";
  const problem = (errorTypes as Readonly<Partial<Record<string, ProblemCode>>>)[type];
  if (problem === undefined) return error;
  if (problem === "payment_processor_refused")
    return new Problem(problem, { more: { processor_code: code ?? null }, cause: error });
  return new Problem(isOurDeadline ? "timeout" : problem, { headers: retryAfter, cause: error });
}

/** What Stripe says is wrong with a request; undefined for every other failure. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Problem) || error.code !== "payment_processor_refused") return undefined;
  const { code = "", param = "", message = "" } = error.cause as Partial<Refusal>;
  return { code, param, message };
}

/** Returns the specific problem for a refusal (`refusals.ts`). Undefined if there is none. */
export function problemOf(asked: Asked, error: unknown): Problem | undefined {
  const refusal = refusalOf(error);
  const rule = refusal && ruleFor(asked, refusal);
  return rule && "problem" in rule ? new Problem(rule.problem, { cause: error }) : undefined;
}

/** Returns the action to take instead of failing if Stripe refuses (`refusals.ts`). */
export function insteadOf(asked: Asked, error: unknown) {
  const refusal = refusalOf(error);
  const rule = refusal && ruleFor(asked, refusal);
  return rule && "instead" in rule ? rule.instead : undefined;
}

/** Whether Stripe does not know a customer that a request named: it was deleted, or never was. */
export function isUnknownCustomer(error: unknown, customer: string): boolean {
  const refusal = refusalOf(error);
  if (refusal?.code !== "resource_missing") return false;
  return refusal.param === "customer" || refusal.message.includes(`'${customer}'`);
}
