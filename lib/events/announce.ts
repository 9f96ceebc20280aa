import type { DomainEvent } from "../contract/events.ts";
import { logError, logInfo } from "../log.ts";
import { kindOf } from "../store/keys.ts";
import { recordFrom, type StreamRecord } from "../store/stream-records.ts";
import type { Publish } from "./bus.ts";
import { eventsFrom } from "./from-record.ts";

/** The most that the bus takes at once. */
const atOnce = 10;

/** A record of the stream with its place in its shard. */
type Delivered = { readonly dynamodb?: { readonly SequenceNumber?: string | undefined } | undefined };

/**
 * Tells subscribers what a batch of records means, in its order, up to the first record that fails: from there on
 * everything is delivered again, and the fewer events of that have been told, the fewer come twice.
 *
 * @returns the record that failed, if one did
 */
export async function announce<R extends Delivered>(
  publish: Publish,
  records: readonly R[],
  signal?: AbortSignal,
): Promise<R | undefined> {
  let unreadable: R | undefined;
  const told: { record: R; event: DomainEvent }[] = [];
  const request_ids: string[] = [];
  for (const record of records) {
    try {
      const change = recordFrom(record);
      told.push(...eventsFrom(change).map((event) => ({ record, event })));
      request_ids.push(...requestOf(change));
    } catch (error) {
      unreadable = record;
      fail(error, record);
      break;
    }
  }

  for (let n = 0; n < told.length; n += atOnce) {
    const some = told.slice(n, n + atOnce);
    try {
      const refusal = await publish(
        some.map(({ event }) => event),
        signal,
      );
      if (refusal) {
        const refused = some.find(({ event }) => event === refusal.event);
        fail(new Error(`The bus rejected an event: ${refusal.reason}`), refused?.record);
        return refused?.record;
      }
    } catch (error) {
      fail(error, some[0]?.record);
      return some[0]?.record;
    }
  }
  if (request_ids.length > 0) logInfo("events were told", { events: told.length, request_ids });
  return unreadable;
}

/** The request that made a change, from its audit entry: none for what Stripe or the schedule did. */
const requestOf = ({ key, after }: StreamRecord): string[] =>
  kindOf(key) === "activity" && typeof after?.request_id === "string" ? [after.request_id] : [];

function fail(error: unknown, record: Delivered | undefined): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  logError(cause, { message: "an event was not told", sequence_number: record?.dynamodb?.SequenceNumber });
}
