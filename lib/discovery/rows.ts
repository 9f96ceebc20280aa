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
 * How long after the time in its key a row may appear, in milliseconds. Its writer takes the time before its first attempt
 * and lives for at most 60 s. The rest is for clock skew.
 */
export const maxRowDelay = 75_000;

/** The first sort key of rows with this time, in milliseconds. */
export const keyAt = (time: number): string => keys.directoryRow(Math.max(0, time), 0).sk;

/** A query of the rows from a sort key on. Eventual consistency costs half, and shows changes within a second. */
export const tailQuery = (from: string) => ({ pk: keys.directoryRow(0, 0).pk, from, eventually: true });

/** Reads the whole directory from its rows, one megabyte per round trip. After a failure of the table, `read` resumes. */
export function rowReader() {
  const newest = new Map<number, Change>();
  let after: Key | undefined;

  return {
    async read(table: Reader) {
      do {
        const { items, last } = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
        // If a row moves during the read, the community is read twice. The newer row comes later.
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
