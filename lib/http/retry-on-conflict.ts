import type { Route } from "../contract/route.ts";
import { measure } from "../log.ts";
import { backOff, type Runtime } from "../runtime.ts";
import { Conflict, Contention } from "../store/failure.ts";
import type { Reply } from "./reply.ts";

/** Minimum time for another decision, in milliseconds. */
const decisionTime = 1500;

/**
 * Decides a request again after a conflict with another writer, until the time runs out. Every write is conditional on
 * the version that its decision was based on. A POST that may have acted at Stripe is decided again only if no
 * operation has begun.
 *
 * @throws Contention if the conflicts last until the time runs out
 */
export async function retryOnConflict(
  mount: Runtime,
  { route: { method, billing }, timeLeft }: { readonly route: Route; readonly timeLeft: () => number },
  decide: (isFirst: boolean) => Promise<Reply>,
): Promise<Reply> {
  const repeats = (error: unknown): boolean =>
    error instanceof Conflict || (error instanceof Contention && !(billing && method === "POST"));
  for (let tried = 1; ; tried++) {
    try {
      return await decide(tried === 1);
    } catch (error) {
      if (!repeats(error)) throw error;
      if (timeLeft() < decisionTime) throw error instanceof Contention ? error : new Contention(error);
      measure("conflicts");
      await backOff(mount, tried);
    }
  }
}
