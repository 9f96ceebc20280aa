import { show } from "#lib/contract/me.ts";
import { accessOf } from "#lib/domain/access.ts";
import { maxListed } from "#lib/domain/me.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as communityList from "#lib/store/community-list.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import * as tierStore from "#lib/store/tiers.ts";
import * as users from "#lib/store/users.ts";

/** Two round trips: the caller's profile, owned communities and memberships, then these communities and their tiers. */
export const handler = endpoint(show, everyone, async ({ caller, table }) => {
  const [user = null, owned, joined] = await Promise.all([
    users.find(table, caller.id),
    communityList.ownedBy(table, caller.id, maxListed + 1),
    memberships.ofUser(table, caller.id),
  ]);
  users.assertNotErased(user ?? undefined);
  const own = owned.slice(0, maxListed);
  const shown = joined.toReversed().slice(0, maxListed);
  const ids = new Set([...own, ...shown.map(({ community_id }) => community_id)]);
  const [communities, tiers] = await Promise.all([
    communityList.findAll(table, [...ids]),
    tierStore.findAll(table, shown),
  ]);
  return {
    user,
    groups: [...caller.groups],
    owned_communities: own.flatMap((id) => communities.get(id) ?? []),
    owned_communities_has_more: owned.length > own.length,
    memberships: shown.flatMap((membership) => {
      const community = communities.get(membership.community_id);
      if (!community) return [];
      const access = accessOf(community.owner_id === caller.id, membership);
      return { ...membership, community, access, tier: tiers.get(membership.tier_id) ?? null };
    }),
    memberships_has_more: joined.length > shown.length,
  };
});
