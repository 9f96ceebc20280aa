/**
 * The directory of communities, in which explore searches for any part of a name, with exact totals and page numbers.
 *
 * Each mechanism pays from a number of communities, which `npm run bench -- mechanisms` reproduces:
 *
 * - 30: rows in memory, of which a request reads only those that changed (here and in load.ts). It costs 0.5 read units;
 *   a Query of all rows costs 1.5 with 30 communities, and 36 with 1,000.
 * - 1,000: a snapshot (snapshot.ts, chunk.ts, compaction.ts). Loading 1,000 communities takes 8 ms of CPU instead of 57 ms
 *   from the rows, loading 10,000 takes 16 ms instead of 560 ms. The compaction makes one from 10,000 communities on.
 * - 10,000: typed columns (columns.ts). They take 3 ms to load, an object for each community 37 ms. With 100,000, they
 *   hold 22 MB instead of 65 MB: a million would not fit into the function as objects.
 * - 30,000: the WebAssembly scan (names.ts, scan.as.ts). The most expensive search takes 0.2 ms, `includes` of each name
 *   4 ms; with 100,000 it takes 0.7 ms instead of 10 ms.
 */

import type { Reader } from "../store/table.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { type DirectoryLoad, readTail, startLoad } from "./load.ts";
import { maxAge } from "./snapshot.ts";

/** All listed communities. This is everything that the route needs to know of them. */
export type Directory = Pick<DirectoryIndex, "search">;

/** The directory as an execution environment keeps it in memory between requests. */
export type DirectoryCache = {
  /**
   * The directory with all changes so far, which takes one round trip if it is in memory.
   *
   * @throws Problem `unavailable` if loading it takes longer than the request has; the next request resumes the load
   */
  refresh(table: Reader, now: Date): Promise<Directory>;
};

/** How many changes an index takes before it is loaded anew: a search goes through all of them. */
const changeLimit = ({ size, changes }: DirectoryIndex): number => changes + Math.max(2000, size / 50);

type Cached = { readonly index: DirectoryIndex; readonly limit: number; refreshedAt: number };

export function directoryCache(): DirectoryCache {
  let cached: Cached | undefined;
  let current: DirectoryLoad | undefined;
  let loading: Promise<DirectoryIndex> | undefined;

  return {
    async refresh(table, now) {
      for (;;) {
        if (cached && isUsable(cached, now)) {
          const { index } = cached;
          await readTail(table, index, now, { eventually: true });
          cached.refreshedAt = Math.max(cached.refreshedAt, now.getTime());
          return index;
        }
        if (!loading) return load(table, now);
        // A failure is that of the request that loads. This request resumes the load in the time that it has itself.
        await loading.catch(() => {});
      }
    },
  };

  async function load(table: Reader, now: Date): Promise<DirectoryIndex> {
    // Two indexes do not fit into memory.
    cached = undefined;
    if (!current || now.getTime() - current.startedAt >= maxAge) current = startLoad(now);
    loading = current.run(table, now);
    try {
      const index = await loading;
      cached = { index, limit: changeLimit(index), refreshedAt: now.getTime() };
      current = undefined;
      return index;
    } finally {
      loading = undefined;
    }
  }
}

/** The rows still contain all that it has missed, and it has not taken too many changes. */
const isUsable = ({ index, limit, refreshedAt }: Cached, now: Date): boolean =>
  index.changes <= limit && now.getTime() - refreshedAt < maxAge;
