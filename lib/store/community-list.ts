import type { Community } from "../domain/community.ts";
import { communityFrom, fromItem, type StoredCommunity } from "./communities.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { keys, prefixOf } from "./keys.ts";
import type { OpenCommunity } from "./open-community.ts";
import type { Reader } from "./table.ts";

const statuses = ["active", "archived"] as const satisfies Community["status"][];

type Page = {
  readonly status?: Community["status"] | undefined;
  readonly per: number;
  readonly cursor?: string | undefined;
};

/**
 * One page of all communities, newest first: two round trips.
 *
 * @throws Problem `invalid_cursor`
 */
export async function list(table: Reader, { status, per, cursor }: Page) {
  const scope = ["communities", status];
  const before = decodeCursor(scope, cursor);
  const lists = status ? [status] : statuses;
  const pages = await Promise.all(lists.map((name) => idsOf(table, name, { before, limit: per + 1 })));
  // A community that is archived or unarchived meanwhile may be in both lists.
  const ids = [...new Set(pages.flat())].toSorted((a, b) => b - a);
  const shown = ids.slice(0, per);
  const found = await openAll(table, shown);
  const last = shown.at(-1);
  const hasMore = ids.length > per && last !== undefined;
  return {
    has_more: hasMore,
    next_cursor: hasMore ? encodeCursor(scope, keys.listedCommunity("active", last).sk) : null,
    data: shown.flatMap((id) => found.get(id) ?? []),
  };
}

type ListRange = { readonly before: string | undefined; readonly limit: number };

async function idsOf(table: Reader, status: Community["status"], { before, limit }: ListRange): Promise<number[]> {
  const { pk } = keys.listedCommunity(status, 0);
  const after = before === undefined ? undefined : { pk, sk: before };
  const { items } = await table.query({ pk, after, descending: true, limit });
  return items.map(({ community_id }) => Number(community_id));
}

/** Communities without their tiers, by id. Missing communities are left out. */
export async function openAll(table: Reader, ids: readonly number[]): Promise<Map<number, OpenCommunity>> {
  const items = await table.getAll(ids.flatMap((id) => [keys.community(id), keys.stats(id)]));
  const byPartition = Map.groupBy(items, ({ pk }) => pk);
  return new Map(
    ids.flatMap((id) => {
      const { pk, sk } = keys.community(id);
      const own = byPartition.get(pk) ?? [];
      return own.some((item) => item.sk === sk) ? [[id, communityFrom(own, id, table.runtime)] as const] : [];
    }),
  );
}

/** Communities without their figures, as stored, by id. Missing communities are left out. */
export async function findAll(table: Reader, ids: readonly number[]): Promise<Map<number, StoredCommunity>> {
  const items = await table.getAll(ids.map(keys.community));
  return new Map(items.map(fromItem).map((community) => [community.id, community]));
}

/** The ids of communities that a person owns, newest first. */
export async function ownedBy(table: Reader, userId: number, limit: number): Promise<number[]> {
  const { pk } = keys.ownedCommunity(userId, 0);
  const { sk: prefix } = prefixOf("ownedCommunity");
  const { items } = await table.query({ pk, prefix, descending: true, limit });
  return items.map(({ community_id }) => Number(community_id));
}

/** The id of the community with a slug. */
export async function idOfSlug(table: Reader, slug: string): Promise<number | undefined> {
  const item = await table.get(keys.slug(slug));
  return item && Number(item.community_id);
}
