import type { Billing } from "../billing/stripe.ts";
import { outcomeUnknown, Problem } from "../problem.ts";

/** The effects of one request at Stripe, and in the table if it writes in several transactions. */
export type Effects = {
  /** Whether a change may have taken effect: the call has succeeded, or its response was lost. */
  mayHaveHappened: boolean;
};

/** The steps of a handler whose effect is not a single write of the table. */
export type EffectOptions = {
  /** The handler calls Stripe first, then writes the table once, in one transaction with the stored response. */
  readonly writesLast?: true;
  /** The effect of the handler is several transactions, each of which is idempotent. */
  readonly writesInSteps?: true;
};

/** Methods of Stripe's client that only read. Methods of returned lists, such as `autoPagingToArray`, are not watched. */
const reads: ReadonlySet<unknown> = new Set(["createPreview", "list", "retrieve"]);

/**
 * Calls that create objects at Stripe which have no effect until something refers to them. A retry reuses these
 * objects, or leaves them unused.
 */
const preparations: ReadonlySet<string> = new Set(["customers.create", "products.create", "prices.create"]);

/** Records in `effects` whether a call may have changed something at Stripe. A call that Stripe rejects has no effect. */
export const watchEffects =
  (billing: Billing, effects: Effects): Billing =>
  async (ask, idempotencyKey) => {
    let isWrite = false;
    const onWrite = () => {
      isWrite = true;
    };
    try {
      const response = await billing((stripe, options) => ask(watched(stripe, [], onWrite), options), idempotencyKey);
      effects.mayHaveHappened ||= isWrite;
      return response;
    } catch (error) {
      const isRejected = error instanceof Problem && error.code === "payment_processor_refused";
      effects.mayHaveHappened ||= isWrite && !isRejected;
      throw error;
    }
  };

/**
 * Wraps an object and its nested objects. Calls `onWrite` before each call of a method that has an effect.
 *
 * @param path the property names of the object, such as `["checkout", "sessions"]`
 */
function watched<T extends object>(target: T, path: readonly string[], onWrite: () => void): T {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      const names = [...path, String(name)];
      if (typeof value === "function")
        return (...input: unknown[]): unknown => {
          if (!reads.has(name) && !preparations.has(names.join("."))) onWrite();
          return Reflect.apply(value, of, input);
        };
      return typeof value === "object" && value !== null ? watched(value, names, onWrite) : value;
    },
  });
}

/**
 * The error to return. A 4xx problem states that nothing has changed, so after an effect it becomes `outcome_unknown`,
 * unless it reports the effect itself (`afterEffect`).
 */
export function answerableError(error: unknown, { mayHaveHappened }: Effects): unknown {
  if (!mayHaveHappened || !(error instanceof Problem) || error.status >= 500 || error.afterEffect) return error;
  return outcomeUnknown(error);
}
