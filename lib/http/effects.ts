import type { Billing } from "../billing/stripe.ts";
import { outcomeUnknown, Problem } from "../problem.ts";

/** The effects of one request: at Stripe, and in the table where it writes in several transactions. */
export type Effects = {
  /** Whether a call that changes something may have taken effect: it was answered, or its answer was lost. */
  mayHaveHappened: boolean;
};

/** In which steps the handler of an endpoint acts, where it is not one write of the table. */
export type EffectOptions = {
  /** It acts at Stripe first and writes the table in one go after that, in one transaction with the stored response. */
  readonly writesLast?: true;
  /** Its effect is several transactions, each of which changes nothing when it is repeated. */
  readonly writesInSteps?: true;
};

/** Methods of Stripe's client that change nothing. The methods of a list, such as `autoPagingToArray`, are not seen. */
const reads: ReadonlySet<unknown> = new Set(["list", "retrieve"]);

/** Creations that have no effect before something refers to them. A repeated request uses what they have created. */
const preparations: ReadonlySet<string> = new Set(["customers.create", "products.create", "prices.create"]);

/** Notes in `effects` each call that changes something at Stripe. A call that Stripe rejects has no effect. */
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
 * The object, and the objects in it, with a notice before each call of a method that has an effect.
 *
 * @param path the names that lead to the object: `["checkout", "sessions"]`
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
 * The error to answer with. A refusal says that nothing has changed, so it becomes `outcome_unknown` after an effect,
 * unless it reports the effect itself (`afterEffect`).
 */
export function answerableError(error: unknown, { mayHaveHappened }: Effects): unknown {
  if (!mayHaveHappened || !(error instanceof Problem) || error.status >= 500 || error.afterEffect) return error;
  return outcomeUnknown(error);
}
