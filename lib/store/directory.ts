import { columnsOf, type Entry } from "../domain/directory-columns.ts";
import { type DirectoryIndex, indexOf } from "../domain/directory-index.ts";
import { rowFrom } from "./directory-rows.ts";
import * as snapshot from "./directory-snapshot.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader } from "./table.ts";

/**
 * The directory as one execution environment holds it, for all of its requests: what a request does not find there, it
 * reads from the end of the rows, in one round trip.
 */
export type Directory = {
  /** The directory as it is now, or was less than a second ago. */
  look(table: Reader, now: Date): Promise<DirectoryIndex>;
};

/**
 * By how much a row may come late: it is written within 8 s of the time that it carries, as that is how long a request
 * has, and by a clock that may be a little behind.
 */
export const overlap = 10_000;

/** How many changes an index takes before columns that hold them are worth their making: searches walk through all. */
const roomFor = ({ size, changes }: DirectoryIndex): number => changes + Math.max(2000, size / 50);

type Held = { readonly index: DirectoryIndex; readonly room: number; lookedAt: number };

export function openDirectory(): Directory {
  let held: Held | undefined;
  let loading: Promise<DirectoryIndex> | undefined;

  return {
    async look(table, now) {
      for (;;) {
        if (held && isGood(held, now)) {
          const { index } = held;
          await readTail(table, index, now, { eventually: true });
          held.lookedAt = Math.max(held.lookedAt, now.getTime());
          return index;
        }
        if (!loading) return load(table, now);
        // Where it fails, it fails for the request that began it; this one begins again, with the time that it has.
        await loading.catch(() => {});
      }
    },
  };

  async function load(table: Reader, now: Date): Promise<DirectoryIndex> {
    loading = loadDirectory(table, now);
    try {
      const index = await loading;
      held = { index, room: roomFor(index), lookedAt: now.getTime() };
      return index;
    } finally {
      loading = undefined;
    }
  }
}

/** What it has missed is still told by the rows, and it does not carry too much of it. */
const isGood = ({ index, room, lookedAt }: Held, now: Date): boolean =>
  index.changes <= room && now.getTime() - lookedAt < snapshot.freshFor;

async function loadDirectory(table: Reader, now: Date): Promise<DirectoryIndex> {
  const found = await snapshot.read(table, now);
  if (!found) return (await readRows(table)).index;
  const index = indexOf(found.columns, found.seen);
  await readTail(table, index, now);
  return index;
}

/** The whole directory from its rows: a megabyte a round trip. */
export async function readRows(table: Reader) {
  const newest = new Map<number, Change>();
  for (const item of await queryAll(table, { pk: keys.directoryRow(0, 0).pk })) {
    // Those of a community that moved meanwhile come twice, the newer one later.
    const change = changeFrom(item);
    newest.set(change.id, change);
  }
  const columns = columnsOf([...newest.values()].flatMap(({ entry }) => entry ?? []));
  const index = indexOf(columns);
  for (const { id, at, entry } of newest.values()) if (!entry) index.apply(id, at, undefined);
  return { columns, index };
}

/** Where the rows begin that may not have been seen yet. */
export const tailOf = (seen: number, now: Date) => ({
  pk: keys.directoryRow(0, 0).pk,
  from: keys.directoryRow(Math.max(0, Math.min(seen, now.getTime()) - overlap), 0).sk,
});

async function readTail(table: Reader, index: DirectoryIndex, now: Date, how: { eventually?: true } = {}) {
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
