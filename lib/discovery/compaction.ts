import { connectBucket } from "../store/objects.ts";
import type { Writer } from "../store/table.ts";
import { prune } from "./columns.ts";
import { keyAt, maxRowDelay, rowReader, tailQuery } from "./rows.ts";
import * as snapshot from "./snapshot.ts";

/** Minimum number of communities for a snapshot. With fewer, reading the rows is fast enough (directory.ts). */
const minRows = 10_000;

/**
 * Minimum number of changes since the last snapshot for a new one before half of the maximum age. A cold start reads 100
 * changes with 5 read units. Reading a large directory for a snapshot costs more than reading these at each cold start.
 */
const minChanges = (rows: number): number => Math.max(100, rows / 1000);

/**
 * Stores a snapshot of the directory if that makes loading it faster. A snapshot is made from all rows, not from the
 * previous snapshot, so that it does not inherit errors.
 */
export async function compact(
  table: Writer,
  now: Date,
  { objects = connectBucket("SNAPSHOTS_BUCKET"), rows = minRows, changes = minChanges } = {},
): Promise<"compacted" | "still fresh" | "too small"> {
  const readAt = now.getTime();
  const snapshots = await snapshot.list(table, now);
  const [last] = snapshots;
  if (last && readAt - last.read_at < snapshot.maxAge / 2) {
    if ((await table.count(tailQuery(keyAt(last.read_at)))) < changes(last.rows)) return "still fresh";
  }
  const { columns } = await rowReader().read(table);
  if (columns.size < rows) return "too small";
  prune(columns, readAt - maxRowDelay, now);
  await snapshot.add({ table, objects }, columns, snapshots, readAt);
  return "compacted";
}
