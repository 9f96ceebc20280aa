/**
 * The directory of communities. Explore searches it for any part of a name, with exact totals and page numbers.
 *
 * Each mechanism pays off from a certain number of communities on (`npm run bench -- mechanisms`):
 *
 * - 30: rows in memory, of which a request reads only changed ones (tail.ts). A request costs 0.5 read units; a Query of
 *   all rows costs 1.5 with 30 communities, and 36 with 1,000.
 * - 1,000: a snapshot (snapshot.ts, compaction.ts). Loading 10,000 communities takes 16 ms of CPU instead of 560 ms from
 *   the rows. The compaction makes one from 10,000 communities on.
 * - 10,000: typed columns (columns.ts). With 100,000, they hold 22 MB instead of 65 MB: a million would not fit into the
 *   function as objects.
 * - 30,000: the WebAssembly scan (names.ts, scan.as.ts). With 100,000, the most expensive search takes 0.7 ms, `includes`
 *   of each name 10 ms.
 */

import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { connectBucket } from "../store/objects.ts";
import type { Reader } from "../store/table.ts";
import { createIndex, type DirectoryIndex } from "./directory-index.ts";
import { rowReader } from "./rows.ts";
import * as snapshot from "./snapshot.ts";
import { followTail, type Tail } from "./tail.ts";

/** All listed communities, as the route uses them. */
export type Directory = Pick<DirectoryIndex, "search">;

/** The directory as an execution environment keeps it in memory between requests. */
export type DirectoryCache = {
  /**
   * Returns the directory as of at most a second ago. Takes at most one round trip if the directory is in memory.
   *
   * @throws Problem `unavailable` if reading it takes longer than the request has; the next request resumes
   */
  refresh(table: Reader, now: Date): Promise<Directory>;
};

/** Reads the whole directory. Undefined if the source is broken. Resumes after a failure of the table or of S3. */
type Source = (table: Reader) => Promise<Tail | undefined>;

/** Number of changes in an index from which a newer snapshot is loaded, as a search goes through all changes. */
const changeLimit = ({ size, changes }: DirectoryIndex): number => changes + Math.max(2000, size / 50);

export function directoryCache(objects = connectBucket("SNAPSHOTS_BUCKET")): DirectoryCache {
  /** `newest` is the key of the newest snapshot at the time of loading, even if that was broken. */
  let cached: { readonly tail: Tail; readonly newest: string | undefined; readonly limit: number } | undefined;
  let load: Awaited<ReturnType<typeof begin>> | undefined;
  let work: Promise<void> | undefined;

  return {
    async refresh(table, now) {
      for (;;) {
        if (cached?.tail.isFresh(now)) return cached.tail.index;
        // A failed load is reported to the request that began it. Another request resumes the load within its own
        // deadline.
        if (work) await work.catch(() => {});
        else
          await (work = advance(table, now).finally(() => {
            work = undefined;
          }));
      }
    },
  };

  async function advance(table: Reader, now: Date): Promise<void> {
    try {
      // The rows no longer contain everything that changed since the cache was read.
      if (cached && cached.tail.age(now) >= snapshot.maxAge) cached = undefined;
      const { tail, newest, limit } = (cached ??= await loaded(table, now));
      if (tail.isFresh(now) || (await tail.read(table, now, limit))) return;
      const [latest] = await snapshot.list(table, now);
      // Drops the old index before loading another one, because two do not fit into memory.
      cached = latest && latest.key !== newest ? undefined : { tail, newest, limit: changeLimit(tail.index) };
    } catch (error) {
      const isTimeout = error instanceof Problem && error.code === "timeout";
      throw isTimeout ? new Problem("unavailable", { headers: error.headers, cause: error }) : error;
    }
  }

  async function loaded(table: Reader, now: Date): Promise<NonNullable<typeof cached>> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    try {
      if (!load || now.getTime() - load.startedAt >= snapshot.maxAge) load = await begin(table, now);
      for (const { sources, newest } = load; ; sources.shift()) {
        const tail = await sources[0]?.(table);
        if (!tail) continue;
        load = undefined;
        return { tail, newest, limit: changeLimit(tail.index) };
      }
    } finally {
      const { user, system } = process.cpuUsage(cpu);
      measure("directory_load_ms", Math.round(performance.now() - start));
      measure("directory_load_cpu_ms", Math.round((user + system) / 1000));
    }
  }

  async function begin(table: Reader, now: Date) {
    const startedAt = now.getTime();
    const snapshots = await snapshot.list(table, now);
    /** The newest snapshot, the previous one, and finally the rows, without sources that turned out to be broken. */
    const sources: Source[] = [...snapshots.map(fromSnapshot), fromRows(startedAt)];
    return { startedAt, newest: snapshots[0]?.key, sources };
  }

  function fromSnapshot(info: snapshot.SnapshotInfo): Source {
    const reader = snapshot.reader(info);
    return async ({ signal }) => {
      const columns = await reader.read(objects, signal);
      return columns && followTail(createIndex(columns), info.read_at);
    };
  }
}

function fromRows(startedAt: number): Source {
  const reader = rowReader();
  return async (table) => {
    const { columns, removed } = await reader.read(table);
    const index = createIndex(columns);
    for (const change of removed) index.apply(change);
    return followTail(index, startedAt);
  };
}
