import { explore } from "#lib/contract/discovery.ts";
import { type DirectoryCache, directoryCache } from "#lib/discovery/directory.ts";
import { isMember } from "#lib/domain/access.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import * as users from "#lib/store/users.ts";

/** The endpoint, with the cache of its execution environment. */
export const exploring = (cache: DirectoryCache) =>
  endpoint(explore, everyone, async ({ query: { query, filter, page, per }, caller, table, now }) => {
    const [directory, own] = await Promise.all([
      cache.refresh(table, now),
      caller ? memberships.ofUser(table, caller.id) : [],
    ]);
    users.assertNotErased(own.find(({ erased_at }) => erased_at !== undefined));
    const badges = new Map(own.filter(isMember).map(({ community_id, tier_id }) => [community_id, tier_id]));
    const filters = {
      all: "all" as const,
      trending: { trendingAt: now },
      my_communities: { ids: new Set(badges.keys()) },
    };
    const { data, ...found } = directory.search({ query, filter: filters[filter], page, per });
    return {
      ...found,
      page,
      per,
      data: data.map(({ id, uuid, badges: names, ...shown }) => ({
        ...shown,
        id: uuid,
        community_id: id,
        tier_badge: names[String(badges.get(id))] ?? null,
        is_member: badges.has(id),
      })),
    };
  });

/** The cache is shared by all requests of an execution environment. */
export const handler = exploring(directoryCache());
