import { logError } from "../log.ts";
import { rowsOf } from "../store/series.ts";
import type { Delivered, Redriven } from "../store/set-aside.ts";
import { recordFrom } from "../store/stream-records.ts";
import type { Writer } from "../store/table.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { project } from "./project.ts";

/** Maximum number of markers, days and months in a transaction. Leaves room for the figures. */
const mostWrites = 90;

/** A record with its effect. */
type Found<R> = { readonly record: R; readonly effect: Effect };

/**
 * Counts a batch of records. A failed community or an unreadable record delays no other community, only the barriers of
 * rebuilds: a rebuild requires that each change before a barrier was counted or set aside.
 *
 * @returns the failed records and the unreadable ones. Each is logged with the reason
 */
export async function consume<R extends Delivered>(
  table: Writer,
  records: readonly R[],
  now: Date,
  { isRedriven = false }: Redriven = {},
): Promise<{ readonly failed: R[]; readonly unreadable: R[] }> {
  const failed = new Set<R>();
  const unreadable = new Set<R>();
  const fail = (into: Set<R>, error: unknown, those: readonly R[], eventIds?: readonly string[]) => {
    for (const record of those) into.add(record);
    const sequence_numbers = those.map(({ dynamodb }) => dynamodb?.SequenceNumber);
    const cause = error instanceof Error ? error : new Error(String(error));
    logError(cause, { message: "records were not counted", sequence_numbers, event_ids: eventIds });
  };

  const withoutBarriers = (those: readonly Found<R>[]) => {
    const { barrier = [], other = [] } = Object.groupBy(those, ({ effect }) =>
      effect.kind === "barrier" ? "barrier" : "other",
    );
    for (const { record } of barrier) failed.add(record);
    return other;
  };

  const found = records.flatMap((record): Found<R>[] => {
    try {
      const effects = effectsOf(recordFrom(record)).map((effect) => ({ record, effect }));
      return unreadable.size > 0 ? withoutBarriers(effects) : effects;
    } catch (error) {
      fail(unreadable, error, [record]);
      return [];
    }
  });

  const byCommunity = Map.groupBy(found, ({ effect }) => effect.communityId);
  await Promise.all(
    [...byCommunity].map(async ([communityId, all]) => {
      let isComplete = true;
      for (const transaction of inTransactions(all)) {
        const some = isComplete ? transaction : withoutBarriers(transaction);
        const effects = some.map(({ effect }) => effect);
        await project(table, communityId, effects, { now, isRedriven }).catch((error: unknown) => {
          isComplete = false;
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
