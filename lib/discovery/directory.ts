import type { Reader } from "../store/table.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { beginLoad, type Load, readTail } from "./load.ts";
import { freshFor } from "./snapshot.ts";

/**
 * The directory as one execution environment holds it, for all of its requests: what a request does not find there, it
 * reads from the end of the rows, in one round trip.
 */
export type Directory = {
  /**
   * The directory as it is now, or was less than a second ago.
   *
   * @throws Problem `unavailable` where it takes longer to load than the request has; the next one goes on with it
   */
  look(table: Reader, now: Date): Promise<DirectoryIndex>;
};

/** How many changes an index takes before columns that hold them are worth their making: searches walk through all. */
const roomFor = ({ size, changes }: DirectoryIndex): number => changes + Math.max(2000, size / 50);

type Held = { readonly index: DirectoryIndex; readonly room: number; lookedAt: number };

export function openDirectory(): Directory {
  let held: Held | undefined;
  let begun: Load | undefined;
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
        // Where it fails, it fails for the request that began it; this one goes on, with the time that it has.
        await loading.catch(() => {});
      }
    },
  };

  async function load(table: Reader, now: Date): Promise<DirectoryIndex> {
    // There is no memory for two.
    held = undefined;
    if (!begun || now.getTime() - begun.begunAt >= freshFor) begun = beginLoad(now);
    loading = begun.finish(table, now);
    try {
      const index = await loading;
      held = { index, room: roomFor(index), lookedAt: now.getTime() };
      begun = undefined;
      return index;
    } finally {
      loading = undefined;
    }
  }
}

/** What it has missed is still told by the rows, and it does not carry too much of it. */
const isGood = ({ index, room, lookedAt }: Held, now: Date): boolean =>
  index.changes <= room && now.getTime() - lookedAt < freshFor;
