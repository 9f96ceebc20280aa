import type { Writer } from "../store/table.ts";
import { pruned } from "./columns.ts";
import { maxRowDelay, rowReader, tailQuery } from "./load.ts";
import * as snapshot from "./snapshot.ts";

/** With fewer communities, reading the rows is fast enough: see directory.ts. */
const minRows = 10_000;

/** With fewer changes since the last snapshot, that one serves for half of its maximum age. */
const minChanges = 1000;

/**
 * Stores a snapshot of the directory if that makes loading it faster. A snapshot is made from all rows, not from the
 * previous one, so that no error outlives it.
 */
export async function compact(
  table: Writer,
  now: Date,
  least = { rows: minRows, changes: minChanges },
): Promise<"compacted" | "still fresh" | "too small"> {
  const [last] = await snapshot.list(table, now);
  if (last && now.getTime() - last.version < snapshot.maxAge / 2) {
    if ((await table.count(tailQuery(last.seen, now))) < least.changes) return "still fresh";
  }
  const { columns, seen } = await rowReader().read(table);
  if (columns.size < least.rows) return "too small";
  // All rows that are read together with the snapshot are newer than this.
  const before = seen - 10 * maxRowDelay;
  await snapshot.add(table, pruned(columns, before, now), seen, now);
  return "compacted";
}
