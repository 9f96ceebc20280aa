import type { Route } from "../contract/route.ts";
import { measure } from "../log.ts";
import { backOff, type Runtime } from "../runtime.ts";
import { Conflict, Contention } from "../store/failure.ts";
import type { Reply } from "./reply.ts";

/** The time that is left for another decision, at least, in milliseconds. */
const decisionTime = 1500;

/**
 * Every write carries the version that it was decided with: where another writer came first, it is decided again, for as
 * long as there is time. A POST that may have acted at Stripe is decided again only where nothing was begun.
 *
 * @throws Contention where others are faster each time
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
