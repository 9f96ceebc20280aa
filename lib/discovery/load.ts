import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { rowFrom } from "../store/directory-rows.ts";
import type { Item } from "../store/expression.ts";
import { type Key, keys } from "../store/keys.ts";
import { queryAll } from "../store/query-all.ts";
import type { Reader } from "../store/table.ts";
import { type Columns, columnsOf, type Entry } from "./columns.ts";
import { type DirectoryIndex, indexOf } from "./directory-index.ts";
import * as snapshot from "./snapshot.ts";

/** Reads the directory once, in as many requests as that takes: where the time of one is over, the next goes on. */
export type Load = {
  /** @throws Problem `unavailable` at the request's deadline */
  finish(table: Reader, now: Date): Promise<DirectoryIndex>;
  /** Since when rows tell of all that it may have missed. */
  readonly begunAt: number;
};

export function beginLoad(begunAt: Date): Load {
  let sources: Source[] | undefined;

  return {
    begunAt: begunAt.getTime(),
    async finish(table, now) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      try {
        // A snapshot that is broken gives way to the one before, and in the end to the rows.
        sources ??= [...(await snapshot.list(table, now)).map(fromSnapshot), fromRows()];
        for (;;) {
          const index = await sources[0]?.(table, now);
          if (index) return index;
          sources.shift();
        }
      } catch (error) {
        const isOver = error instanceof Problem && error.code === "timeout";
        throw isOver ? new Problem("unavailable", { headers: error.headers, cause: error }) : error;
      } finally {
        const { user, system } = process.cpuUsage(cpu);
        measure("directory_load_ms", Math.round(performance.now() - start));
        measure("directory_load_cpu_ms", Math.round((user + system) / 1000));
      }
    },
  };
}

/** Undefined where it is broken. Where it fails, it can be gone on with. */
type Source = (table: Reader, now: Date) => Promise<DirectoryIndex | undefined>;

function fromSnapshot(made: snapshot.Made): Source {
  const reading = snapshot.reading(made);
  return async (table, now) => {
    const columns = await reading.read(table);
    if (!columns) return undefined;
    const index = indexOf(columns, made.seen);
    await readTail(table, index, now);
    return index;
  };
}

function fromRows(): Source {
  const reading = readingRows();
  return async (table) => {
    const { columns, seen, gone } = await reading.read(table);
    const index = indexOf(columns, seen);
    for (const { id, at } of gone) index.apply(id, at, undefined);
    return index;
  };
}

type Rows = {
  readonly columns: Columns;
  /** When the newest row was written. */
  readonly seen: number;
  /** What has left the directory, as far as the rows still tell. */
  readonly gone: readonly Change[];
};

/** The whole directory from its rows, a megabyte a round trip; where that fails, it can be gone on with. */
export function readingRows(): { read(table: Reader): Promise<Rows> } {
  const newest = new Map<number, Change>();
  let after: Key | undefined;
  let seen = 0;

  return {
    async read(table) {
      do {
        const { items, last } = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
        for (const item of items) {
          // Those of a community that moved meanwhile come twice, the newer one later.
          const change = changeFrom(item);
          newest.set(change.id, change);
          seen = Math.max(seen, change.at);
        }
        after = last;
      } while (after);
      const changes = [...newest.values()];
      const gone = changes.filter(({ entry }) => !entry);
      return { columns: columnsOf(changes.flatMap(({ entry }) => entry ?? [])), seen, gone };
    },
  };
}

/**
 * By how much a row may come late: it is written within 8 s of the time that it carries, as that is how long a request
 * has, and by a clock that may be a little behind.
 */
export const overlap = 10_000;

/** Where the rows begin that may not have been seen yet. */
export const tailOf = (seen: number, now: Date) => ({
  pk: keys.directoryRow(0, 0).pk,
  from: keys.directoryRow(Math.max(0, Math.min(seen, now.getTime()) - overlap), 0).sk,
});

export async function readTail(table: Reader, index: DirectoryIndex, now: Date, how: { eventually?: true } = {}) {
  for (const item of await queryAll(table, { ...tailOf(index.seen, now), ...how })) {
    const { id, at, entry } = changeFrom(item);
    index.apply(id, at, entry);
  }
}

type Change = { readonly id: number; readonly at: number; readonly entry: Entry | undefined };

function changeFrom(item: Item): Change {
  const { is_listed, ...row } = rowFrom(item);
  const at = Number(String(item.sk).slice(0, 16));
  return { id: row.id, at, entry: is_listed ? { ...row, changed: at } : undefined };
}
