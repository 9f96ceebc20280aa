import { fold } from "../domain/fold.ts";
import { isTrending } from "../domain/trend.ts";
import { type Names, namesOf } from "./names.ts";

/** A community as the directory knows it. */
export type Entry = {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly slug: string;
  readonly avatar_url: string | null;
  readonly member_count: number;
  /** See `lib/domain/trend.ts`; null before the first join. */
  readonly trend_score: number | null;
  readonly joiners: number;
  readonly trending_pin: "on" | "off" | null;
  /** What each tier's members are called, by the tier's id. */
  readonly badges: Readonly<Record<string, string>>;
  /** When its row was written, in milliseconds. */
  readonly changed: number;
};

/** What a page of the listing shows of a community. */
export type Shown = Pick<Entry, "id" | "uuid" | "name" | "slug" | "avatar_url" | "member_count" | "badges">;

/**
 * Many communities in the order of the listing, without an object for any of them: a million fit into the memory of a
 * small function, and one scan runs through all names.
 */
export type Columns = {
  readonly size: number;
  readonly ids: Float64Array;
  readonly changed: Float64Array;
  readonly counts: Uint32Array;
  /** −∞ before the first join. */
  readonly scores: Float64Array;
  readonly joiners: Uint32Array;
  /** Indexes of `pins`. */
  readonly pinned: Uint8Array;
  /** As `searchable` makes them. */
  readonly names: Names;
  /** 16 bytes each. */
  readonly uuids: Uint8Array;
  /** What only a page shows: JSON, one after the other. */
  readonly records: Uint8Array;
  readonly recordEnds: Uint32Array;
};

const pins = [null, "on", "off"] as const;

/**
 * A text as it is searched and sorted: folded, and a character for each byte of its UTF-8. So it is found as bytes are,
 * and sorts by code point.
 */
export const searchable = (text: string): string => Buffer.from(fold(text)).toString("latin1");

/** What the order of the listing is made of. */
export type Place = { readonly member_count: number; readonly folded: string; readonly uuid: string };

/** The listing's order: most members first, then by folded name, then by id. */
export const inListing = (a: Place, b: Place): number =>
  b.member_count - a.member_count || compare(a.folded, b.folded) || compare(a.uuid, b.uuid);

/** Unlike a difference, it also tells that two infinities are the same. */
export const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

export function columnsOf(entries: readonly Entry[]): Columns {
  const sorted = entries.map((entry) => ({ ...entry, folded: searchable(entry.name) })).toSorted(inListing);
  const numbers = (of: (entry: Entry) => number) => sorted.map(of);
  const records = sorted.map((entry) => Buffer.from(JSON.stringify(recordOf(entry))));
  return {
    size: sorted.length,
    ids: Float64Array.from(numbers(({ id }) => id)),
    changed: Float64Array.from(numbers(({ changed }) => changed)),
    counts: Uint32Array.from(numbers(({ member_count }) => member_count)),
    scores: Float64Array.from(numbers(({ trend_score }) => trend_score ?? Number.NEGATIVE_INFINITY)),
    joiners: Uint32Array.from(numbers(({ joiners }) => joiners)),
    pinned: Uint8Array.from(numbers(({ trending_pin }) => pins.indexOf(trending_pin))),
    names: namesOf(sorted.map(({ folded }) => folded)),
    uuids: Buffer.from(sorted.map(({ uuid }) => uuid.replaceAll("-", "")).join(""), "hex"),
    records: Buffer.concat(records),
    recordEnds: endsOf(records.map(({ length }) => length)),
  };
}

const recordOf = ({ name, slug, avatar_url, badges }: Entry) => [name, slug, avatar_url, badges];

function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lengths, (length) => (end += length));
}

export function shownAt(columns: Columns, row: number): Shown {
  const { ids, counts, records, recordEnds } = columns;
  const bytes = records.subarray(row === 0 ? 0 : recordEnds[row - 1], recordEnds[row]);
  const [name, slug, avatar_url, badges] = JSON.parse(decoder.decode(bytes)) as ReturnType<typeof recordOf> &
    [string, string, string | null, Shown["badges"]];
  const uuid = uuidAt(columns, row);
  return { id: ids[row] ?? 0, uuid, name, slug, avatar_url, member_count: counts[row] ?? 0, badges };
}

const uuidAt = ({ uuids }: Columns, row: number): string =>
  Buffer.from(uuids.subarray(row * 16, row * 16 + 16))
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const decoder = new TextDecoder();

export const placeAt = (columns: Columns, row: number): Place => ({
  member_count: columns.counts[row] ?? 0,
  folded: columns.names.at(row),
  // Only communities of the same name are told apart by their ids, so it is hardly ever read.
  get uuid() {
    return uuidAt(columns, row);
  },
});

export function doesTrend({ scores, joiners, pinned }: Columns, row: number, now: Date): boolean {
  const pin = pins[pinned[row] ?? 0] ?? null;
  return isTrending({ score: scores[row] ?? null, joiners: joiners[row] ?? 0, pin }, now);
}

/**
 * The same columns without what can no longer matter, so that they compress: the heat of what does not trend, as that
 * only fades until a join makes a new row, and when rows were written that stood still since `before`.
 */
export function settled(columns: Columns, before: number, now: Date): Columns {
  return {
    ...columns,
    changed: columns.changed.map((at) => (at < before ? 0 : at)),
    scores: columns.scores.map((score, row) => (doesTrend(columns, row, now) ? score : Number.NEGATIVE_INFINITY)),
    joiners: columns.joiners.map((count, row) => (doesTrend(columns, row, now) ? count : 0)),
  };
}

/** The first number of a range that a test holds for, as it does for all after it; the end where there is none. */
export function firstIn(start: number, end: number, holds: (n: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
