import { logError } from "../log.ts";
import { recordFrom } from "../store/stream-records.ts";
import type { Writer } from "../store/table.ts";
import { type Effect, effectOf } from "./effects.ts";
import { project } from "./project.ts";

/** Maximum number of markers in a transaction, which leaves room for the figures. */
const mostEffects = 40;

/** A record of the stream with its place in its shard. */
export type Delivered = { readonly dynamodb?: { readonly SequenceNumber?: string | undefined } | undefined };

/**
 * Counts a batch of records. Communities do not wait for each other, nor for a record that cannot be read.
 *
 * @returns the records that were not counted, each named in the log with the reason
 */
export async function consume<R extends Delivered>(table: Writer, records: readonly R[], now: Date): Promise<R[]> {
  const failed = new Set<R>();
  const fail = (error: unknown, those: readonly R[], eventIds?: readonly string[]) => {
    for (const record of those) failed.add(record);
    const sequence_numbers = those.map(({ dynamodb }) => dynamodb?.SequenceNumber);
    const cause = error instanceof Error ? error : new Error(String(error));
    logError(cause, { message: "records were not counted", sequence_numbers, event_ids: eventIds });
  };

  const found = records.flatMap((record): { record: R; effect: Effect }[] => {
    try {
      const effect = effectOf(recordFrom(record));
      return effect ? [{ record, effect }] : [];
    } catch (error) {
      fail(error, [record]);
      return [];
    }
  });

  const byCommunity = Map.groupBy(found, ({ effect }) => effect.communityId);
  await Promise.all(
    [...byCommunity].map(async ([communityId, all]) => {
      for (let n = 0; n < all.length; n += mostEffects) {
        const some = all.slice(n, n + mostEffects);
        const effects = some.map(({ effect }) => effect);
        await project(table, communityId, effects, now).catch((error: unknown) => {
          fail(
            error,
            some.map(({ record }) => record),
            effects.map(({ eventId }) => eventId),
          );
        });
      }
    }),
  );
  return records.filter((record) => failed.has(record));
}
