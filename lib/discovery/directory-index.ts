import { isTrending } from "../domain/trend.ts";
import {
  type Columns,
  compare,
  doesTrend,
  type Entry,
  firstIn,
  inListing,
  placeAt,
  type Shown,
  searchable,
  shownAt,
} from "./columns.ts";
import { each, has, include, noRows, without } from "./names.ts";
import { rowsById } from "./rows-by-id.ts";

export type Ask = {
  /** Any part of a name; empty finds all. */
  readonly query: string;
  /** All communities, those that trend now, or those with these ids. */
  readonly among: "all" | { readonly trendingAt: Date } | { readonly ids: ReadonlySet<number> };
  readonly page: number;
  readonly per: number;
};

type Found = { readonly total: number; readonly has_more: boolean; readonly data: readonly Shown[] };

/** A community that changed after the columns were made. `before` is the row that it stands before. */
type Changed = Entry & { readonly folded: string; readonly before: number };

export type DirectoryIndex = ReturnType<typeof indexOf>;

/**
 * All listed communities in memory: columns that never change, and over them those that have changed since. Answers
 * exact totals and pages; nothing in it waits, so requests that share it cannot see it half changed.
 *
 * @param newestRow when the newest row was written that the columns have taken in, in milliseconds
 */
export function indexOf(columns: Columns, newestRow: number) {
  const { size, names, changed, scores } = columns;
  const rowOf = rowsById(columns.ids);
  const replaced = noRows(size);
  /** By id, the newest that is known of each community that changed; it holds none where that is no longer listed. */
  const newest = new Map<number, { readonly changed: number; readonly entry: Changed | undefined }>();
  /** The same that are listed, in the order of the listing. */
  const overlay: Changed[] = [];
  let seen = newestRow;
  let trending: readonly number[] | undefined;

  return {
    /** When the newest known row was written, in milliseconds. */
    get seen() {
      return seen;
    },
    size,
    /** How many communities have changed since the columns were made. */
    get changes() {
      return newest.size;
    },

    /** Takes a row, or that a community is no longer listed. Rows may come in any order and again: the newest counts. */
    apply(id: number, at: number, entry: Entry | undefined): void {
      seen = Math.max(seen, at);
      const row = rowOf(id);
      const known = newest.get(id);
      if (at <= (known?.changed ?? (row === undefined ? -1 : (changed[row] ?? 0)))) return;

      if (known?.entry) overlay.splice(overlay.indexOf(known.entry), 1);
      if (row !== undefined) include(replaced, row);
      const placed = entry && place(entry);
      newest.set(id, { changed: at, entry: placed });
      if (placed) overlay.splice(placeIn(overlay, placed), 0, placed);
    },

    /** One page of the communities that are asked for, cut out of all of them. */
    search({ query, among, page, per }: Ask): Found {
      const text = searchable(query);
      const named = overlay.filter(({ folded }) => folded.includes(text));
      const cut = cutter((page - 1) * per, per);
      if (among === "all") {
        const rows = names.holding(text);
        const count = without(rows, replaced);
        return cut({ entries: named, comes: standsBefore, count, eachRow: (skip, found) => each(rows, skip, found) });
      }

      if ("ids" in among) {
        const rows = [...among.ids]
          .flatMap((id) => rowOf(id) ?? [])
          .filter((row) => !has(replaced, row) && names.at(row).includes(text))
          .toSorted((a, b) => a - b);
        return cut({ entries: named.filter(({ id }) => among.ids.has(id)), comes: standsBefore, ...listOf(rows) });
      }

      const now = among.trendingAt;
      trending ??= trendingRows(now);
      const holding = names.holding(text);
      const rows = trending.filter((row) => has(holding, row) && !has(replaced, row) && doesTrend(columns, row, now));
      const entries = named
        .filter((entry) =>
          isTrending({ score: entry.trend_score, joiners: entry.joiners, pin: entry.trending_pin }, now),
        )
        .toSorted((a, b) => compare(scoreOf(b), scoreOf(a)));
      return cut({ entries, comes: isHotter, ...listOf(rows) });
    },
  };

  function place(entry: Entry): Changed {
    const folded = searchable(entry.name);
    const its = { member_count: entry.member_count, folded, uuid: entry.uuid };
    return { ...entry, folded, before: firstIn(0, size, (row) => inListing(placeAt(columns, row), its) >= 0) };
  }

  /** Those that may ever trend, hottest first: without a join, which makes a new row, heat only fades. */
  function trendingRows(now: Date): readonly number[] {
    const rows: number[] = [];
    for (let row = 0; row < size; row++) if (doesTrend(columns, row, now)) rows.push(row);
    return rows.toSorted((a, b) => compare(scores[b] ?? 0, scores[a] ?? 0) || a - b);
  }

  /** Merges what has changed with rows that come in the same order, as far as the page reaches. */
  function cutter(start: number, per: number) {
    return ({ entries, comes, count, eachRow }: Lists): Found => {
      const data: Shown[] = [];
      // However many entries come before them, these rows come before the page.
      const skip = Math.max(0, start - entries.length);
      let at = skip;
      let next = 0;
      const take = (shown: () => Shown): boolean => {
        if (at >= start && at < start + per) data.push(shown());
        return ++at < start + per;
      };
      eachRow(skip, (row) => {
        for (let entry = entries[next]; entry && comes(entry, row); entry = entries[++next]) take(shownOf(entry));
        return take(() => shownAt(columns, row));
      });
      for (const entry of entries.slice(next)) if (!take(shownOf(entry))) break;
      const total = count + entries.length;
      return { total, has_more: start + per < total, data };
    };
  }

  function isHotter(entry: Changed, row: number): boolean {
    const order = compare(scores[row] ?? 0, scoreOf(entry));
    return order < 0 || (order === 0 && standsBefore(entry, row));
  }
}

/** What a page is cut out of: what has changed, and rows, both in the order of the page. */
type Lists = {
  readonly entries: readonly Changed[];
  /** Whether what has changed comes before a row. */
  readonly comes: (entry: Changed, row: number) => boolean;
  /** How many rows there are. */
  readonly count: number;
  /** Calls back for each row but so many first ones, until it is told that it is enough. */
  readonly eachRow: (skip: number, found: (row: number) => boolean) => void;
};

const listOf = (rows: readonly number[]): Pick<Lists, "count" | "eachRow"> => ({
  count: rows.length,
  eachRow: (skip, found) => rows.slice(skip).every(found),
});

const shownOf = (entry: Changed) => (): Shown => entry;

/** Where in a sorted list another one belongs. */
const placeIn = (entries: readonly Changed[], another: Changed): number =>
  firstIn(0, entries.length, (n) => {
    const entry = entries[n];
    return entry !== undefined && inListing(entry, another) > 0;
  });

const standsBefore = ({ before }: Changed, row: number): boolean => before <= row;

const scoreOf = ({ trend_score }: Entry): number => trend_score ?? Number.NEGATIVE_INFINITY;
