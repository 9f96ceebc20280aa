import * as v from "valibot";
import { Id } from "../domain/scalars.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Write } from "./write.ts";

/** What the directory knows of a community: all that a search, its order and a card need. */
const DirectoryRow = v.object({
  id: Id,
  uuid: v.string(),
  name: v.string(),
  slug: v.string(),
  avatar_url: v.nullable(v.string()),
  member_count: v.number(),
  /** See `lib/domain/trend.ts`. */
  trend_score: v.nullable(v.number()),
  /** How many different people have joined. */
  joiners: v.number(),
  trending_pin: v.nullable(v.picklist(["on", "off"])),
  /** False in the row of a community that has left the directory. */
  is_listed: v.boolean(),
  /** What members wear, by the id of their tier. */
  badges: v.record(v.string(), v.string()),
});
export type DirectoryRow = v.InferOutput<typeof DirectoryRow>;

export const rowFrom = (item: Item): DirectoryRow => v.parse(DirectoryRow, item);

/** Longer than any reader goes on without loading the directory anew. */
const tombstoneSeconds = 48 * 60 * 60;

/**
 * Moves a community's row to the end of the directory, which is where readers look for what is new. `previousKey` is
 * the community's `directory_key`: the caller sets it to `rowKey(previousKey, row.id, now)` in the same transaction, on
 * the condition that it still is what it was.
 */
export function moveRow(previousKey: string | undefined, row: DirectoryRow, now: Date): Write[] {
  const key = keyOf(rowKey(previousKey, row.id, now));
  const expires = row.is_listed ? {} : { expires_at: Math.floor(now.getTime() / 1000) + tombstoneSeconds };
  const writes: Write[] = [{ put: { ...key, ...row, ...expires } }];
  if (previousKey !== undefined) writes.push({ delete: keyOf(previousKey) });
  return writes;
}

/** Where a row moves to: later than where it was, also where this clock is behind the one that put it there. */
export function rowKey(previousKey: string | undefined, communityId: number, now: Date): string {
  const previous = previousKey === undefined ? 0 : Number(previousKey.slice(0, previousKey.indexOf("#")));
  return keys.directoryRow(Math.max(now.getTime(), previous + 1), communityId).sk;
}

/** The key of the row that a `directory_key` names. */
export const keyOf = (directoryKey: string): Key => ({ ...keys.directoryRow(0, 0), sk: directoryKey });
