import { show } from "#lib/contract/membership.ts";
import { accessOf, isMember } from "#lib/domain/access.ts";
import { underCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as memberships from "#lib/store/memberships.ts";

export const handler = endpoint(show, underCommunity, async ({ params, caller, table, parent }) => {
  const [community, membership] = await Promise.all([parent, memberships.find(table, caller.id, params.community_id)]);
  return {
    is_member: isMember(membership),
    access: accessOf(community.owner_id === caller.id, membership),
    status: membership?.status ?? null,
    tier: community.tiers.find(({ id }) => id === membership?.tier_id) ?? null,
    benefits: [],
    current_period_end: membership?.current_period_end ?? null,
    cancel_at_period_end: membership?.cancel_at_period_end ?? false,
  };
});
