import { logInfo } from "../log.ts";
import { type Delivered, eventsOfBatch, logFailure } from "./batch.ts";
import type { Publish } from "./bus.ts";

/** The most that the bus takes at once. */
const atOnce = 10;

/**
 * Sends the events of a batch of stream records to the bus, in their order, up to the first record that fails: from there
 * on everything is delivered again, and the fewer events of that have been sent, the fewer come twice.
 *
 * @returns the record that failed, if one did
 */
export async function announce<R extends Delivered>(
  publish: Publish,
  records: readonly R[],
  { epoch, signal }: { readonly epoch: number; readonly signal?: AbortSignal },
): Promise<R | undefined> {
  const { events, unreadable, requestIds } = eventsOfBatch(records, epoch);
  for (let n = 0; n < events.length; n += atOnce) {
    const some = events.slice(n, n + atOnce);
    try {
      const refusal = await publish(
        some.map(({ event }) => event),
        signal,
      );
      if (refusal) {
        const refused = some.find(({ event }) => event === refusal.event);
        logFailure(new Error(`The bus rejected an event: ${refusal.reason}`), refused?.record);
        return refused?.record;
      }
    } catch (error) {
      logFailure(error, some[0]?.record);
      return some[0]?.record;
    }
  }
  if (requestIds.length > 0) logInfo("events were sent", { events: events.length, request_ids: requestIds });
  return unreadable;
}
