import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { rowFrom } from "../store/directory-rows.ts";
import type { Item } from "../store/expression.ts";
import { type Key, keys } from "../store/keys.ts";
import { queryAll } from "../store/query-all.ts";
import type { Reader } from "../store/table.ts";
import { type Columns, columnsOf, type Entry } from "./columns.ts";
import { createIndex, type DirectoryIndex } from "./directory-index.ts";
import * as snapshot from "./snapshot.ts";

/** A load of the whole directory that several requests may share. */
export type DirectoryLoad = {
  /**
   * Loads the directory, or resumes where an earlier call failed.
   *
   * @throws Problem `unavailable` at the request's deadline
   */
  run(table: Reader, now: Date): Promise<DirectoryIndex>;
  /** When it started, in milliseconds. Rows written later may be missing in what it has read. */
  readonly startedAt: number;
};

export function startLoad(startedAt: Date): DirectoryLoad {
  let sources: Source[] | undefined;

  return {
    startedAt: startedAt.getTime(),
    async run(table, now) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      try {
        // The newest snapshot, the one before it if that is broken, and in the end the rows.
        sources ??= [...(await snapshot.list(table, now)).map(fromSnapshot), fromRows()];
        for (;;) {
          const index = await sources[0]?.(table, now);
          if (index) return index;
          sources.shift();
        }
      } catch (error) {
        const isTimeout = error instanceof Problem && error.code === "timeout";
        throw isTimeout ? new Problem("unavailable", { headers: error.headers, cause: error }) : error;
      } finally {
        const { user, system } = process.cpuUsage(cpu);
        measure("directory_load_ms", Math.round(performance.now() - start));
        measure("directory_load_cpu_ms", Math.round((user + system) / 1000));
      }
    },
  };
}

/** Returns undefined if the source is broken. After a failure of the table, it resumes. */
type Source = (table: Reader, now: Date) => Promise<DirectoryIndex | undefined>;

function fromSnapshot(info: snapshot.SnapshotInfo): Source {
  const reader = snapshot.reader(info);
  return async (table, now) => {
    const columns = await reader.read(table);
    if (!columns) return undefined;
    const index = createIndex(columns, info.seen);
    await readTail(table, index, now);
    return index;
  };
}

function fromRows(): Source {
  const reader = rowReader();
  return async (table) => {
    const { columns, seen, removed } = await reader.read(table);
    const index = createIndex(columns, seen);
    for (const { id, at } of removed) index.remove(id, at);
    return index;
  };
}

type Rows = {
  readonly columns: Columns;
  /** When the newest row was written, in milliseconds. */
  readonly seen: number;
  /** Communities that have left the directory and still have a tombstone. */
  readonly removed: readonly Change[];
};

/** Reads the whole directory from its rows, a megabyte in a round trip. After a failure of the table, `read` resumes. */
export function rowReader(): { read(table: Reader): Promise<Rows> } {
  const newest = new Map<number, Change>();
  let after: Key | undefined;
  let seen = 0;

  return {
    async read(table) {
      do {
        const { items, last } = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
        for (const item of items) {
          // A community whose row moves meanwhile is read twice, the newer row later.
          const change = changeFrom(item);
          newest.set(change.id, change);
          seen = Math.max(seen, change.at);
        }
        after = last;
      } while (after);
      const changes = [...newest.values()];
      const removed = changes.filter(({ entry }) => !entry);
      return { columns: columnsOf(changes.flatMap(({ entry }) => entry ?? [])), seen, removed };
    },
  };
}

/**
 * How late a row may appear, in milliseconds. It carries the time at which its request decided to write it, which takes
 * at most 8 s, by a clock that may be a little slow.
 */
export const maxRowDelay = 10_000;

/** A query of the rows that a reader may have missed, which has seen rows up to `seen`, in milliseconds. */
export const tailQuery = (seen: number, now: Date) => ({
  pk: keys.directoryRow(0, 0).pk,
  from: keys.directoryRow(Math.max(0, Math.min(seen, now.getTime()) - maxRowDelay), 0).sk,
});

/** Applies the rows to an index that were written since it was made or last read. */
export async function readTail(table: Reader, index: DirectoryIndex, now: Date, how: { eventually?: true } = {}) {
  for (const item of await queryAll(table, { ...tailQuery(index.seen, now), ...how })) {
    const { id, at, entry } = changeFrom(item);
    if (entry) index.upsert(entry);
    else index.remove(id, at);
  }
}

/** A directory row. It has no entry if it is a tombstone. */
type Change = { readonly id: number; readonly at: number; readonly entry: Entry | undefined };

function changeFrom(item: Item): Change {
  const { is_listed, ...row } = rowFrom(item);
  const at = Number(String(item.sk).slice(0, 16));
  return { id: row.id, at, entry: is_listed ? { ...row, changed: at } : undefined };
}
