import * as v from "valibot";
import { Community } from "../domain/community.ts";
import { cellsOf, type Figures, memberCount, noFigures } from "../domain/figures.ts";
import { type DirectoryRow, moveRow, rowKey } from "../store/directory-rows.ts";
import type { Item } from "../store/expression.ts";
import { keys, ofKind } from "../store/keys.ts";
import { type StoredStats, statsFrom } from "../store/stats.ts";
import type { Reader } from "../store/table.ts";
import type { Write } from "../store/write.ts";

const Listed = v.object({
  ...v.pick(Community, ["id", "uuid", "name", "slug", "avatar_url", "status", "trending_pin"]).entries,
  /** The sort key of its row in the directory. */
  directory_key: v.optional(v.string()),
});

const Badge = v.object({ id: v.number(), name: v.string(), badge: v.nullable(v.string()) });

/** All that a community's projections are made of, besides the members. */
export type Standing = {
  readonly communityId: number;
  /** Undefined where there are members of a community that is not there. */
  readonly community: v.InferOutput<typeof Listed> | undefined;
  readonly badges: Readonly<Record<string, string>>;
  readonly stats: StoredStats | undefined;
};

/** One Query. */
export async function standingOf(table: Reader, communityId: number): Promise<Standing> {
  const { pk, sk: from } = keys.community(communityId);
  const { items } = await table.query({ pk, from });
  const community = items.find(({ sk }) => sk === from);
  const stats = items.find(({ sk }) => sk === keys.stats(communityId).sk);
  return {
    communityId,
    community: community && v.parse(Listed, community),
    badges: Object.fromEntries(ofKind(items, "tier").map(badgeOf)),
    stats: stats && statsFrom(stats),
  };
}

function badgeOf(item: Item): [string, string] {
  const { id, badge, name } = v.parse(Badge, item);
  return [String(id), badge ?? name];
}

/** The community's row in the directory, were these its figures. */
export function rowOf({ community, badges }: Standing, figures: Figures = noFigures): DirectoryRow | undefined {
  if (!community) return undefined;
  const { status, directory_key: _, ...shown } = community;
  const { joiners, trend_score } = figures;
  const member_count = memberCount(cellsOf(figures));
  return { ...shown, member_count, joiners, trend_score, badges, is_listed: status === "active" };
}

/** Moves the row of a community, over the row that was read. */
export function relist({ community, communityId }: Standing, row: DirectoryRow, now: Date): Write[] {
  const previous = community?.directory_key;
  return [
    {
      update: keys.community(communityId),
      set: { directory_key: rowKey(previous, communityId, now) },
      when: { is: { directory_key: previous } },
    },
    ...moveRow(previous, row, now),
  ];
}
