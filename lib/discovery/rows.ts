import { rowFrom } from "../store/directory-rows.ts";
import type { Item } from "../store/expression.ts";
import { type Key, keys } from "../store/keys.ts";
import type { Reader } from "../store/table.ts";
import { columnsOf } from "./columns.ts";
import type { Change } from "./directory-index.ts";

export function changeFrom(item: Item): Change {
  const { is_listed, ...row } = rowFrom(item);
  const at = Number(String(item.sk).slice(0, 16));
  return { id: row.id, at, entry: is_listed ? { ...row, changed: at } : undefined };
}

/**
 * How late a row may appear after the time in its key, in milliseconds. Its writer takes the time before it tries, and
 * lives for at most 60 s; and clocks may differ.
 */
export const maxRowDelay = 75_000;

/** The first sort key that a row of this time may have, in milliseconds. */
export const keyAt = (time: number): string => keys.directoryRow(Math.max(0, time), 0).sk;

/** A query of the rows from a sort key on. Eventually consistent, which costs half: a rename is visible within a second. */
export const tailQuery = (from: string) => ({ pk: keys.directoryRow(0, 0).pk, from, eventually: true });

/** Reads the whole directory from its rows, a megabyte in a round trip. After a failure of the table, `read` resumes. */
export function rowReader() {
  const newest = new Map<number, Change>();
  let after: Key | undefined;

  return {
    async read(table: Reader) {
      do {
        const { items, last } = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
        // A community whose row moves meanwhile is read twice, the newer row later.
        for (const change of items.map(changeFrom)) newest.set(change.id, change);
        after = last;
      } while (after);
      const changes = [...newest.values()];
      /** Communities that have left the directory and still have a tombstone. */
      const removed = changes.filter(({ entry }) => !entry);
      return { columns: columnsOf(changes.flatMap(({ entry }) => entry ?? [])), removed };
    },
  };
}
