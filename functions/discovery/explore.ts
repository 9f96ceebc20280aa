import { explore } from "#lib/contract/discovery.ts";
import { type Directory, openDirectory } from "#lib/discovery/directory.ts";
import { isMember } from "#lib/domain/access.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as memberships from "#lib/store/members/memberships.ts";

/** The route as one execution environment serves it. */
export const exploring = (directory: Directory) =>
  endpoint(explore, everyone, async ({ query: { query, filter, page, per }, caller, table, now }) => {
    const [index, own] = await Promise.all([
      directory.look(table, now),
      caller ? memberships.ofUser(table, caller.id) : [],
    ]);
    const badges = new Map(own.filter(isMember).map(({ community_id, tier_id }) => [community_id, tier_id]));
    const among = {
      all: "all" as const,
      trending: { trendingAt: now },
      my_communities: { ids: new Set(badges.keys()) },
    };
    const { data, ...found } = index.search({ query, among: among[filter], page, per });
    return {
      ...found,
      page,
      per,
      data: data.map(({ id, uuid, badges: names, ...shown }) => ({
        ...shown,
        id: uuid,
        tier_badge: names[String(badges.get(id))] ?? null,
        is_member: badges.has(id),
      })),
    };
  });

/** Not the state of a request: what every request of this environment finds warm. */
export const handler = exploring(openDirectory());
