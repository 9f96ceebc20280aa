import type { Key } from "../store/keys.ts";
import type { Reader } from "../store/table.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { changeFrom, keyAt, maxRowDelay, tailQuery } from "./rows.ts";

/** How often the tail is read at most, in milliseconds. */
const interval = 1000;

/** How often it is read from so far back that it contains rows which appeared late, in milliseconds. */
const lookBackInterval = 20_000;

/** Rows read in a round trip: they take 30 ms of CPU. */
const pageSize = 500;

export type Tail = ReturnType<typeof followTail>;

/**
 * Brings an index up to date from the end of the directory, where changes are written.
 *
 * @param readAt everything that was written before this time is in the index, but for late rows; in milliseconds
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
    /** Whether it was read to its end less than a second ago. A clock that goes back by more than clocks differ has it read anew. */
    isFresh(now: Date): boolean {
      const age = now.getTime() - lookedAt;
      return age < interval && age > -maxRowDelay;
    },

    /**
     * Reads the tail. A call after a failure resumes where that one ended.
     *
     * @returns whether it was read to its end, rather than to where the index has more changes than `limit`
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
      // One that was resumed so late knows nothing of late rows that appeared since it began: the tail is read again.
      lookedAt = now.getTime() - look.at < lookBackInterval ? now.getTime() : look.at;
      // While it was read, rows may have appeared before the place that was reached.
      if (look.isBack) lookedBackAt = look.at;
      look = undefined;
      return true;
    },
  };

  function begin(at: number) {
    const isBack = Math.abs(at - lookedBackAt) >= lookBackInterval;
    const reached = keyAt(isBack ? Math.min(at, lookedBackAt) - maxRowDelay : lookedAt);
    // The newest row may be of a writer whose clock is ahead.
    return { at, isBack, from: newest < reached ? newest : reached, after: undefined as Key | undefined };
  }
}
