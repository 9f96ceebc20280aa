import type { Writer } from "../store/table.ts";
import { settled } from "./columns.ts";
import { overlap, readingRows, tailOf } from "./load.ts";
import * as snapshot from "./snapshot.ts";

/** With fewer communities the rows are read as fast as a snapshot is. */
const fewestRows = 10_000;

/** With fewer changes since the last snapshot, it serves for half of its time. */
const fewestChanges = 1000;

/**
 * Makes a snapshot of the directory where that lets it load faster. It is made from all rows, not from the one before,
 * so that nothing wrong outlives it.
 */
export async function compact(
  table: Writer,
  now: Date,
  least = { rows: fewestRows, changes: fewestChanges },
): Promise<"compacted" | "still fresh" | "too small"> {
  const [last] = await snapshot.list(table, now);
  if (last && now.getTime() - last.version < snapshot.freshFor / 2) {
    if ((await table.count(tailOf(last.seen, now))) < least.changes) return "still fresh";
  }
  const { columns, seen } = await readingRows().read(table);
  if (columns.size < least.rows) return "too small";
  // Every row that is read with the snapshot is newer than this.
  const before = seen - 10 * overlap;
  await snapshot.add(table, settled(columns, before, now), seen, now);
  return "compacted";
}
