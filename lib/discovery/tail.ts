import type { Key } from "../store/keys.ts";
import type { Reader } from "../store/table.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { changeFrom, keyAt, maxRowDelay, tailQuery } from "./rows.ts";

/** Minimum time between reads of the tail, in milliseconds. */
const interval = 1000;

/** Time between reads that go back far enough to find rows that appeared late, in milliseconds. */
const lookBackInterval = 20_000;

/** Rows per round trip. They take 30 ms of CPU. */
const pageSize = 500;

export type Tail = ReturnType<typeof followTail>;

/**
 * Brings an index up to date from the end of the directory, where changes are written.
 *
 * @param readAt the index contains everything written before this time, except late rows; in milliseconds
 */
export function followTail(index: DirectoryIndex, readAt: number) {
  /** Sort key of the newest row that was read. */
  let newest = keyAt(readAt - maxRowDelay);
  let lookedAt = readAt;
  let lookedBackAt = readAt;
  let look: ReturnType<typeof begin> | undefined;

  return {
    index,
    /** Time since the tail was last read to its end, in milliseconds. */
    age: (now: Date): number => now.getTime() - lookedAt,
    /** Whether the tail was read to its end less than a second ago. False if the clock has gone back by more than the skew. */
    isFresh(now: Date): boolean {
      const age = now.getTime() - lookedAt;
      return age < interval && age > -maxRowDelay;
    },

    /**
     * Reads the tail. Resumes after a failure.
     *
     * @returns whether the tail was read to its end; false if the index has more changes than `limit`
     */
    async read(table: Reader, now: Date, limit: number): Promise<boolean> {
      look ??= begin(now.getTime());
      do {
        const { items, last } = await table.query({ ...tailQuery(look.from), after: look.after, limit: pageSize });
        for (const item of items) {
          index.apply(changeFrom(item));
          if (String(item.sk) > newest) newest = String(item.sk);
        }
        look.after = last;
        if (last && index.changes > limit) return false;
      } while (look.after);
      // A read that was resumed this late may have missed rows that appeared late since it began. The next call reads
      // again.
      lookedAt = now.getTime() - look.at < lookBackInterval ? now.getTime() : look.at;
      // Rows may have appeared before the reached position during the read, so the time of its start counts.
      if (look.isBack) lookedBackAt = look.at;
      look = undefined;
      return true;
    },
  };

  function begin(at: number) {
    const isBack = Math.abs(at - lookedBackAt) >= lookBackInterval;
    const reached = keyAt(isBack ? Math.min(at, lookedBackAt) - maxRowDelay : lookedAt);
    // The clock of the newest row's writer may be ahead.
    return { at, isBack, from: newest < reached ? newest : reached, after: undefined as Key | undefined };
  }
}
