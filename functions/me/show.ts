import { show } from "#lib/contract/me.ts";
import { accessOf } from "#lib/domain/access.ts";
import { maxListed } from "#lib/domain/me.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { logError } from "#lib/log.ts";
import * as communityList from "#lib/store/community-list.ts";
import * as invitations from "#lib/store/invitations.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import type { Reader } from "#lib/store/table.ts";
import { communitiesOf, isInForce, placesOf } from "#lib/store/team-places.ts";
import * as tierStore from "#lib/store/tiers.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(show, everyone, async ({ caller, table, addressOf }) => {
  const address = addressOf(caller).catch((error: Error) => {
    logError(error, { message: "The address of a caller could not be read" });
    return null;
  });
  const [own, invited] = await Promise.all([ownOf(table, caller.id), invitationsTo(table, address)]);
  return { ...own, groups: [...caller.groups], invitations: invited };
});

/** Two round trips: the caller's profile and the ids of their communities, then these communities and their tiers. */
async function ownOf(table: Reader, userId: number) {
  const [user = null, owned, joined, teamIds] = await Promise.all([
    users.find(table, userId),
    communityList.ownedBy(table, userId, maxListed + 1),
    memberships.ofUser(table, userId),
    communitiesOf(table, userId),
  ]);
  users.assertNotErased(user ?? undefined);
  const own = owned.slice(0, maxListed);
  const shown = joined.toReversed().slice(0, maxListed);
  const ids = new Set([...own, ...shown.map(({ community_id }) => community_id), ...teamIds]);
  const [communities, tiers, places] = await Promise.all([
    communityList.findAll(table, [...ids]),
    tierStore.findAll(table, shown),
    placesOf(table, userId, teamIds),
  ]);
  const teams = places.flatMap((place) => {
    const community = communities.get(place.community_id);
    return community && isInForce(community, place, table) ? [{ community, role: place.role }] : [];
  });
  return {
    user,
    owned_communities: own.flatMap((id) => communities.get(id) ?? []),
    owned_communities_has_more: owned.length > own.length,
    memberships: shown.flatMap((membership) => {
      const community = communities.get(membership.community_id);
      if (!community) return [];
      const access = accessOf(community.owner_id === userId, membership);
      return { ...membership, community, access, tier: tiers.get(membership.tier_id) ?? null };
    }),
    memberships_has_more: joined.length > shown.length,
    teams: teams.slice(0, maxListed),
    teams_has_more: teams.length > maxListed,
  };
}

/** The open invitations to an address with their communities, newest first. Null if the address could not be read. */
async function invitationsTo(table: Reader, reading: Promise<string | null | undefined>) {
  const address = await reading;
  if (address === null) return null;
  const found = address === undefined ? [] : await invitations.toAddress(table, address);
  const communities = await communityList.findAll(
    table,
    found.map(({ community_id }) => community_id),
  );
  const open = found.flatMap((invitation) => {
    const community = communities.get(invitation.community_id);
    return community && isInForce(community, invitation, table)
      ? [{ ...invitations.toResponse(invitation), community }]
      : [];
  });
  return open.toSorted((a, b) => b.id - a.id).slice(0, maxListed);
}
