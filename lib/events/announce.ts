import type { DomainEvent } from "../contract/events.ts";
import { logInfo } from "../log.ts";
import { type Delivered, type SetAside, setAsideUnreadable } from "../store/set-aside.ts";
import { type Batch, eventsOfBatch, logFailure } from "./batch.ts";
import type { Publish } from "./bus.ts";

/** Maximum number of events in a call of the bus. */
const atOnce = 10;

/** Stores events of one community, in order. Idempotent. */
export type Store = (communityId: number, events: readonly DomainEvent[]) => Promise<void>;

type Options = {
  readonly store: Store;
  readonly epoch: number;
  readonly now: Date;
  /** Stores unreadable records. Undefined for a redrive, in which unreadable records count as failed. */
  readonly setAside?: SetAside | undefined;
  readonly signal?: AbortSignal;
};

/**
 * Stores the events of a batch of stream records and sends them to the bus in order. Stops at the first record that fails,
 * because the stream delivers that and all later records again. An event is sent only once it is stored, because deliveries
 * refer to stored events. An unreadable record is retried for a minute, then set aside.
 *
 * @returns the records that failed. The stream delivers the first of them and all later records again
 */
export async function announce<R extends Delivered>(
  publish: Publish,
  records: readonly R[],
  { store, epoch, now, setAside, signal }: Options,
): Promise<R[]> {
  const { events, unreadable, requestIds } = eventsOfBatch(records, { epoch, now });
  const stored = await storeAll(store, events);
  const failed = (await send(publish, stored, signal)) ?? events[stored.length]?.record;
  if (!failed && requestIds.length > 0) logInfo("events were sent", { events: events.length, request_ids: requestIds });
  return setAsideUnreadable(records, { failed: failed ? [failed] : [], unreadable }, { now, setAside });
}

/** @returns the events before the first one that was not stored. Events of brands belong to no community */
async function storeAll<R extends Delivered>(store: Store, events: Batch<R>["events"]): Promise<Batch<R>["events"]> {
  const byCommunity = Map.groupBy(events, ({ event }) => event.community_id);
  const unstored = await Promise.all(
    [...byCommunity].map(async ([communityId, own]) => {
      if (communityId === null) return [];
      try {
        await store(
          communityId,
          own.map(({ event }) => event),
        );
        return [];
      } catch (error) {
        logFailure(error, own[0]?.record);
        return own;
      }
    }),
  );
  const failed = new Set(unstored.flat());
  const end = events.findIndex((event) => failed.has(event));
  return end === -1 ? events : events.slice(0, end);
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
