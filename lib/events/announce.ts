import { logInfo } from "../log.ts";
import { type Delivered, type SetAside, setAsideUnreadable } from "../store/set-aside.ts";
import { type Batch, eventsOfBatch, logFailure } from "./batch.ts";
import type { Publish } from "./bus.ts";

/** The most that the bus takes at once. */
const atOnce = 10;

type Options = {
  readonly epoch: number;
  readonly now: Date;
  /** Without it, an unreadable record has failed. */
  readonly setAside?: SetAside | undefined;
  readonly signal?: AbortSignal;
};

/**
 * Sends the events of a batch of stream records to the bus, in their order, up to the first record that fails: from there
 * on everything is delivered again, and the fewer events of that have been sent, the fewer come twice. A record that cannot
 * be read is attempted for a minute, then set aside; the others do not wait for it any longer.
 *
 * @returns the records that failed: the stream delivers everything from the first of them on again
 */
export async function announce<R extends Delivered>(
  publish: Publish,
  records: readonly R[],
  { epoch, now, setAside, signal }: Options,
): Promise<R[]> {
  const { events, unreadable, requestIds } = eventsOfBatch(records, { epoch, now });
  const failed = await send(publish, events, signal);
  if (!failed && requestIds.length > 0) logInfo("events were sent", { events: events.length, request_ids: requestIds });
  return setAsideUnreadable(records, { failed: failed ? [failed] : [], unreadable }, { now, setAside });
}

/** @returns the record of the first event that was not sent */
async function send<R extends Delivered>(
  publish: Publish,
  events: Batch<R>["events"],
  signal: AbortSignal | undefined,
): Promise<R | undefined> {
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
  return undefined;
}
