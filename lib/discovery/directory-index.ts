import { isTrending } from "../domain/trend.ts";
import {
  byListing,
  type Columns,
  communityAt,
  compare,
  compareAt,
  type Entry,
  isTrendingAt,
  type ListedCommunity,
  lowerBound,
  searchable,
} from "./columns.ts";
import { add, emptySet, has, rowsIn, subtract } from "./row-set.ts";
import { rowsById } from "./rows-by-id.ts";
import { sortedList } from "./sorted-list.ts";

export type SearchQuery = {
  /** Text that the names must contain. An empty text matches every name. */
  readonly query: string;
  /** Which communities to search: all, those that trend at the given time, or those with these ids. */
  readonly filter: "all" | { readonly trendingAt: Date } | { readonly ids: ReadonlySet<number> };
  /** Number of the page, from 1. */
  readonly page: number;
  /** Number of communities per page. */
  readonly per: number;
};

export type SearchPage = {
  readonly total: number;
  readonly has_more: boolean;
  readonly data: readonly ListedCommunity[];
};

/** The content of a directory row. A tombstone has no entry. */
export type Change = { readonly id: number; readonly at: number; readonly entry: Entry | undefined };

/** A community that changed after the columns were made. It is listed before the row `nextRow`. */
type ChangedEntry = Entry & { readonly folded: string; readonly nextRow: number };

/** All matches of a search: changed communities and rows of the columns, both in the order of the page. */
type Matches = {
  readonly entries: readonly ChangedEntry[];
  readonly rowCount: number;
  /** The rows without the first `skip`. */
  readonly rows: (skip: number) => Iterable<number>;
  readonly isBefore: (entry: ChangedEntry, row: number) => boolean;
};

export type DirectoryIndex = ReturnType<typeof createIndex>;

/**
 * All listed communities in memory: immutable columns, and communities that changed after the columns were made. Totals
 * and pages are exact. Synchronous, so requests that share it never see a partial change.
 */
export function createIndex(columns: Columns) {
  const { size, names, changed, scores } = columns;
  const rowOf = rowsById(columns.ids);
  /** Rows of communities that changed or were removed. */
  const replaced = emptySet(size);
  /** The newest change of each changed community, by id. The change of a removed community has no entry. */
  const changes = new Map<number, { readonly at: number; readonly entry: ChangedEntry | undefined }>();
  /** The changed communities that are listed, in listing order. */
  const overlay = sortedList<ChangedEntry>(byListing);
  let trending: readonly number[] | undefined;

  return {
    size,
    /** Number of communities that changed since the columns were made. */
    get changes() {
      return changes.size;
    },

    /** Adds, replaces or removes a community. Changes may arrive in any order and repeatedly: the newest one counts. */
    apply({ id, at, entry }: Change): void {
      const row = rowOf(id);
      const previous = changes.get(id);
      if (at <= (previous?.at ?? (row === undefined ? -1 : (changed[row] ?? 0)))) return;

      if (previous?.entry) overlay.delete(previous.entry);
      if (row !== undefined) add(replaced, row);
      const inOrder = entry && changedEntry(entry);
      changes.set(id, { at, entry: inOrder });
      if (inOrder) overlay.add(inOrder);
    },

    search({ query, filter, page, per }: SearchQuery): SearchPage {
      const { entries, rowCount, rows, isBefore } = matching(searchable(query), filter);
      const total = entries.length + rowCount;
      const start = Math.min((page - 1) * per, total);
      // At least this many rows precede the page, wherever the changed communities are listed.
      const skip = Math.max(0, start - entries.length);
      const found = merge(entries, rows(skip), isBefore)
        .drop(start - skip)
        .take(per)
        .map((item) => (typeof item === "number" ? communityAt(columns, item) : item));
      return { total, has_more: start + per < total, data: [...found] };
    },
  };

  function changedEntry(entry: Entry): ChangedEntry {
    const folded = searchable(entry.name);
    const { member_count, uuid } = entry;
    const key = { member_count, folded, uuid };
    return { ...entry, folded, nextRow: lowerBound(0, size, (row) => compareAt(columns, row, key) >= 0) };
  }

  function matching(text: string, filter: SearchQuery["filter"]): Matches {
    const named = overlay.filter(({ folded }) => folded.includes(text));
    if (filter === "all") {
      const rows = names.search(text);
      const rowCount = subtract(rows, replaced);
      return { entries: named, rowCount, rows: (skip) => rowsIn(rows, skip), isBefore: isListedBefore };
    }

    if ("ids" in filter) {
      const rows = [...filter.ids]
        .flatMap((id) => rowOf(id) ?? [])
        .filter((row) => !has(replaced, row) && names.at(row).includes(text))
        .toSorted((a, b) => a - b);
      const entries = named.filter(({ id }) => filter.ids.has(id));
      return { entries, rowCount: rows.length, rows: (skip) => rows.slice(skip), isBefore: isListedBefore };
    }

    const now = filter.trendingAt;
    trending ??= trendingRows(now);
    const hits = names.search(text);
    const rows = trending.filter((row) => has(hits, row) && !has(replaced, row) && isTrendingAt(columns, row, now));
    const entries = named
      .filter((entry) => isTrending({ score: entry.trend_score, joiners: entry.joiners, pin: entry.trending_pin }, now))
      .toSorted((a, b) => compare(scoreOf(b), scoreOf(a)));
    return { entries, rowCount: rows.length, rows: (skip) => rows.slice(skip), isBefore: isHotter };
  }

  /** The rows that may trend, hottest first. Others cannot start to trend: heat only fades, and a join writes a new row. */
  function trendingRows(now: Date): readonly number[] {
    const rows: number[] = [];
    for (let row = 0; row < size; row++) if (isTrendingAt(columns, row, now)) rows.push(row);
    return rows.toSorted((a, b) => compare(scores[b] ?? 0, scores[a] ?? 0) || a - b);
  }

  function isHotter(entry: ChangedEntry, row: number): boolean {
    const order = compare(scores[row] ?? 0, scoreOf(entry));
    return order < 0 || (order === 0 && isListedBefore(entry, row));
  }
}

/** Merges two sorted sequences: changed communities and rows. */
function* merge(
  entries: readonly ChangedEntry[],
  rows: Iterable<number>,
  isBefore: Matches["isBefore"],
): Generator<ChangedEntry | number, void, undefined> {
  let next = 0;
  for (const row of rows) {
    for (let entry = entries[next]; entry && isBefore(entry, row); entry = entries[++next]) yield entry;
    yield row;
  }
  yield* entries.slice(next);
}

const isListedBefore = ({ nextRow }: ChangedEntry, row: number): boolean => nextRow <= row;

const scoreOf = ({ trend_score }: Entry): number => trend_score ?? Number.NEGATIVE_INFINITY;
