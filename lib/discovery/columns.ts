import { fold } from "../domain/fold.ts";
import { isTrending } from "../domain/trend.ts";
import { allocateNames, fillNames, type Names } from "./names.ts";

/** A listed community. */
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
  /** Badge of each tier's members, by tier id. */
  readonly badges: Readonly<Record<string, string>>;
  /** When its directory row was written, in milliseconds. */
  readonly changed: number;
};

/** What a page of search results contains of a community. */
export type ListedCommunity = Pick<Entry, "id" | "uuid" | "name" | "slug" | "avatar_url" | "member_count" | "badges">;

/** Communities in listing order as typed arrays, without an object per community. */
export type Columns = {
  /** Number of rows. */
  readonly size: number;
  readonly ids: Float64Array;
  readonly changed: Float64Array;
  readonly counts: Uint32Array;
  /** −∞ for a community before its first join. */
  readonly scores: Float64Array;
  readonly joiners: Uint32Array;
  /** Indexes into `pins`. */
  readonly pinned: Uint8Array;
  /** Names in the form of `searchable`. */
  readonly names: Names;
  /** UUIDs of the communities, 16 bytes each. */
  readonly uuids: Uint8Array;
  /** JSON of the fields that are only needed for a page of results, without separators. */
  readonly records: Uint8Array;
  /** End of each record in `records`. */
  readonly recordEnds: Uint32Array;
};

const pins = [null, "on", "off"] as const;

/** A text in the form for search and sorting: folded, with one character per byte of its UTF-8 encoding. */
export const searchable = (text: string): string => Buffer.from(fold(text)).toString("latin1");

/** The fields that determine the listing order. `folded` is the `searchable` name. */
export type SortKey = { readonly member_count: number; readonly folded: string; readonly uuid: string };

/** Listing order: most members first, then by folded name in code point order, then by id. */
export const byListing = (a: SortKey, b: SortKey): number =>
  b.member_count - a.member_count || compare(a.folded, b.folded) || compare(a.uuid, b.uuid);

/** Comparison without subtraction, which would fail for two infinities. */
export const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sizes of the columns to allocate. */
export type ColumnSizes = { readonly rows: number; readonly name_bytes: number; readonly record_bytes: number };

/** Allocates all columns in one block of memory. `names.image` contains all bytes that a snapshot stores. */
export function allocateColumns({ rows, name_bytes, record_bytes }: ColumnSizes): Columns {
  const names = allocateNames(rows, name_bytes, rows * 53 + record_bytes);
  const { buffer, byteOffset } = names.image;
  let at = byteOffset;
  const next = (bytes: number) => (at += bytes) - bytes;
  return {
    size: rows,
    names,
    ids: new Float64Array(buffer, next(rows * 8), rows),
    changed: new Float64Array(buffer, next(rows * 8), rows),
    scores: new Float64Array(buffer, next(rows * 8), rows),
    counts: new Uint32Array(buffer, next(rows * 4), rows),
    joiners: new Uint32Array(buffer, next(rows * 4), rows),
    recordEnds: new Uint32Array(buffer, next(rows * 4), rows),
    pinned: new Uint8Array(buffer, next(rows), rows),
    uuids: new Uint8Array(buffer, next(rows * 16), rows * 16),
    records: new Uint8Array(buffer, next(record_bytes), record_bytes),
  };
}

export function columnsOf(entries: readonly Entry[]): Columns {
  const sorted = entries
    .map((entry) => ({ ...entry, folded: searchable(entry.name), record: Buffer.from(recordOf(entry)) }))
    .toSorted(byListing);
  const columns = allocateColumns({
    rows: sorted.length,
    name_bytes: sorted.reduce((sum, { folded }) => sum + folded.length + 1, 0),
    record_bytes: sorted.reduce((sum, { record }) => sum + record.length, 0),
  });
  fillNames(
    columns.names,
    sorted.map(({ folded }) => folded),
  );
  let end = 0;
  for (const [row, entry] of sorted.entries()) {
    columns.ids[row] = entry.id;
    columns.changed[row] = entry.changed;
    columns.scores[row] = entry.trend_score ?? Number.NEGATIVE_INFINITY;
    columns.counts[row] = entry.member_count;
    columns.joiners[row] = entry.joiners;
    columns.pinned[row] = pins.indexOf(entry.trending_pin);
    columns.uuids.set(Buffer.from(entry.uuid.replaceAll("-", ""), "hex"), row * 16);
    columns.records.set(entry.record, end);
    end += entry.record.length;
    columns.recordEnds[row] = end;
  }
  return columns;
}

const recordOf = ({ name, slug, avatar_url, badges }: Entry): string =>
  JSON.stringify([name, slug, avatar_url, badges] satisfies ListingRecord);
type ListingRecord = [Entry["name"], Entry["slug"], Entry["avatar_url"], Entry["badges"]];

export function communityAt(columns: Columns, row: number): ListedCommunity {
  const { ids, counts, records, recordEnds } = columns;
  const bytes = records.subarray(row === 0 ? 0 : recordEnds[row - 1], recordEnds[row]);
  const [name, slug, avatar_url, badges] = JSON.parse(decoder.decode(bytes)) as ListingRecord;
  const uuid = uuidAt(columns, row);
  return { id: ids[row] ?? 0, uuid, name, slug, avatar_url, member_count: counts[row] ?? 0, badges };
}

const uuidAt = ({ uuids }: Columns, row: number): string =>
  Buffer.from(uuids.subarray(row * 16, row * 16 + 16))
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const decoder = new TextDecoder();

/** Compares a row and a community in listing order. Reads name and id only if they decide. */
export const compareAt = (columns: Columns, row: number, { member_count, folded, uuid }: SortKey): number =>
  member_count - (columns.counts[row] ?? 0) ||
  compare(columns.names.at(row), folded) ||
  compare(uuidAt(columns, row), uuid);

export function isTrendingAt({ scores, joiners, pinned }: Columns, row: number, now: Date): boolean {
  const pin = pins[pinned[row] ?? 0] ?? null;
  return isTrending({ score: scores[row] ?? null, joiners: joiners[row] ?? 0, pin }, now);
}

/**
 * Clears values that are no longer needed, so that columns compress better: scores and joiners of communities that do not
 * trend (they trend again only after a join, which writes a new row), and times before `before`, in milliseconds.
 */
export function prune(columns: Columns, before: number, now: Date): void {
  for (let row = 0; row < columns.size; row++) {
    if ((columns.changed[row] ?? 0) < before) columns.changed[row] = 0;
    if (isTrendingAt(columns, row, now)) continue;
    columns.scores[row] = Number.NEGATIVE_INFINITY;
    columns.joiners[row] = 0;
  }
}

/**
 * Binary search: the first number from `start` that passes the test, or `end` if none does. Once a number passes, all
 * later numbers must pass too.
 */
export function lowerBound(start: number, end: number, test: (n: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
