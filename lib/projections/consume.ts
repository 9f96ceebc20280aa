import { logError } from "../log.ts";
import { rowsOf } from "../store/series.ts";
import type { Delivered } from "../store/set-aside.ts";
import { recordFrom } from "../store/stream-records.ts";
import type { Writer } from "../store/table.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { project } from "./project.ts";

/** Maximum number of markers and of days and months in a transaction, which leaves room for the figures. */
const mostWrites = 90;

/**
 * Counts a batch of records. A failure in one community and unreadable records do not delay the others.
 *
 * @returns the records that failed, and the unreadable ones. Each is logged with the reason
 */
export async function consume<R extends Delivered>(
  table: Writer,
  records: readonly R[],
  now: Date,
): Promise<{ readonly failed: R[]; readonly unreadable: R[] }> {
  const failed = new Set<R>();
  const unreadable = new Set<R>();
  const fail = (into: Set<R>, error: unknown, those: readonly R[], eventIds?: readonly string[]) => {
    for (const record of those) into.add(record);
    const sequence_numbers = those.map(({ dynamodb }) => dynamodb?.SequenceNumber);
    const cause = error instanceof Error ? error : new Error(String(error));
    logError(cause, { message: "records were not counted", sequence_numbers, event_ids: eventIds });
  };

  const found = records.flatMap((record): { record: R; effect: Effect }[] => {
    try {
      return effectsOf(recordFrom(record)).map((effect) => ({ record, effect }));
    } catch (error) {
      fail(unreadable, error, [record]);
      return [];
    }
  });

  const byCommunity = Map.groupBy(found, ({ effect }) => effect.communityId);
  await Promise.all(
    [...byCommunity].map(async ([communityId, all]) => {
      for (const some of inTransactions(all)) {
        const effects = some.map(({ effect }) => effect);
        await project(table, communityId, effects, now).catch((error: unknown) => {
          fail(
            failed,
            error,
            some.map(({ record }) => record),
            effects.map(({ eventId }) => eventId),
          );
        });
      }
    }),
  );
  return { failed: records.filter((record) => failed.has(record)), unreadable: [...unreadable] };
}

/** Groups effects into transactions, in order. */
function inTransactions<T extends { readonly effect: Effect }>(all: readonly T[]): T[][] {
  const groups: { readonly days: Set<string>; readonly those: T[] }[] = [];
  for (const one of all) {
    const days = one.effect.kind === "counted" ? Object.keys(one.effect.change.days) : [];
    const last = groups.at(-1);
    if (last && last.those.length + 1 + rowsOf([...last.days, ...days]) <= mostWrites) {
      last.those.push(one);
      for (const day of days) last.days.add(day);
    } else groups.push({ days: new Set(days), those: [one] });
  }
  return groups.map(({ those }) => those);
}
