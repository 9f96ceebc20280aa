import * as v from "valibot";
import type { Community } from "../domain/community.ts";
import { cellsOf, type Figures, memberCount, notNegative } from "../domain/figures.ts";
import type { Tier } from "../domain/tier.ts";
import type { communityFields } from "../fields/community.ts";
import type { ShownIn } from "../fields/field.ts";
import { Id } from "../values/scalars.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** A community's row in the directory. Holds all data for matching, sorting and showing a search result. */
const DirectoryRow = v.object({
  id: Id,
  uuid: v.string(),
  name: v.string(),
  slug: v.string(),
  avatar_url: v.nullable(v.string()),
  member_count: v.number(),
  /** See `lib/domain/trend.ts`. */
  trend_score: v.nullable(v.number()),
  /** Number of different people who have joined. */
  joiners: v.number(),
  trending_pin: v.nullable(v.picklist(["on", "off"])),
  /** False for a tombstone: the row of a community that has left the directory. */
  is_listed: v.boolean(),
  /** Badge of each tier's members, by tier id. */
  badges: v.record(v.string(), v.string()),
});
export type DirectoryRow = v.InferOutput<typeof DirectoryRow>;

export const rowFrom = (item: Item): DirectoryRow => v.parse(DirectoryRow, item);

type RowSource = {
  readonly community: Pick<Community, ShownIn<typeof communityFields, "directory">>;
  readonly tiers: readonly Pick<Tier, "id" | "badge" | "name">[];
  /** Null until a member has been counted. */
  readonly figures: Figures | null;
};

/** The directory row of a community. */
export function directoryRowOf({ community, tiers, figures }: RowSource): DirectoryRow {
  const { id, uuid, name, slug, avatar_url, status, trending_pin } = community;
  const badges = Object.fromEntries(tiers.map((tier) => [String(tier.id), tier.badge ?? tier.name]));
  const shown = { id, uuid, name, slug, avatar_url, trending_pin, badges };
  return { ...shown, ...rowFigures(figures), is_listed: status === "active" };
}

export const rowFigures = (figures: Figures | null) => ({
  member_count: figures ? memberCount(cellsOf(figures)) : 0,
  trend_score: figures?.trend_score ?? null,
  joiners: notNegative(figures?.joiners ?? 0),
});

/** How long a tombstone is kept, in seconds. Every reader reloads the whole directory more often than that. */
const tombstoneSeconds = 48 * 60 * 60;

/**
 * Moves a community's row to the end of the directory, where readers look for changes.
 *
 * The caller sets the community's `directory_key` to `rowKey(previousKey, row.id, now)` in the same transaction, on the
 * condition that it still is `previousKey`.
 *
 * @param previousKey the community's current `directory_key`; undefined if it has no row
 */
export function moveRow(previousKey: string | undefined, row: DirectoryRow, now: Date): Write[] {
  const key = keyOf(rowKey(previousKey, row.id, now));
  const expires = row.is_listed ? {} : { expires_at: Math.floor(now.getTime() / 1000) + tombstoneSeconds };
  const writes: Write[] = [{ put: { ...key, ...row, ...expires } }];
  if (previousKey !== undefined) writes.push({ delete: keyOf(previousKey) });
  return writes;
}

/** The new `directory_key` of a row: later than the previous one, even if this clock is behind that of its writer. */
export function rowKey(previousKey: string | undefined, communityId: number, now: Date): string {
  const previous = previousKey === undefined ? 0 : Number(previousKey.slice(0, previousKey.indexOf("#")));
  return keys.directoryRow(Math.max(now.getTime(), previous + 1), communityId).sk;
}

/** The primary key of the row with a `directory_key`. */
export const keyOf = (directoryKey: string): Key => ({ ...keys.directoryRow(0, 0), sk: directoryKey });
