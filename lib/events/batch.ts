import type { DomainEvent } from "../contract/events.ts";
import { logError } from "../log.ts";
import { kindOf } from "../store/keys.ts";
import { type Delivered, isAttempted } from "../store/set-aside.ts";
import { recordFrom, type StreamRecord } from "../store/stream-records.ts";
import { eventsFrom } from "./from-record.ts";

/** The events of a batch of stream records. */
export type Batch<R> = {
  /** Events in the order of the records, each with the record that caused it. */
  readonly events: readonly { readonly record: R; readonly event: DomainEvent }[];
  /** The records that cannot be read. */
  readonly unreadable: readonly R[];
  /** The requests that made the changes. */
  readonly requestIds: readonly string[];
};

/**
 * Derives the events of a batch of stream records. Unreadable records are logged. The batch ends at an unreadable record
 * that is still attempted, because the stream delivers it again with all later ones.
 */
export function eventsOfBatch<R extends Delivered>(
  records: readonly R[],
  { epoch, now }: { readonly epoch: number; readonly now: Date },
): Batch<R> {
  const events: { record: R; event: DomainEvent }[] = [];
  const unreadable: R[] = [];
  const requestIds: string[] = [];
  for (const record of records) {
    try {
      const change = recordFrom(record);
      events.push(...eventsFrom(change, epoch).map((event) => ({ record, event })));
      requestIds.push(...requestOf(change));
    } catch (error) {
      logFailure(error, record);
      unreadable.push(record);
      if (isAttempted(record, now)) break;
    }
  }
  return { events, unreadable, requestIds };
}

/** The id of the request that made a change, from an audit entry. Empty for changes by Stripe or the schedule. */
const requestOf = ({ key, after }: StreamRecord): string[] =>
  kindOf(key) === "activity" && typeof after?.request_id === "string" ? [after.request_id] : [];

/** Logs why the events of a record were not sent. */
export function logFailure(error: unknown, record: Delivered | undefined): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  logError(cause, { message: "an event was not sent", sequence_number: record?.dynamodb?.SequenceNumber });
}
