import { show } from "#lib/contract/membership.ts";
import { accessOf, isMember } from "#lib/domain/access.ts";
import { parentWithBenefits } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/benefits.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  show,
  {
    guard: parentWithBenefits,
    read: ({ params, caller, table }) => memberships.find(table, caller.id, params.community_id),
  },
  ({ caller, parent, read: membership }) => {
    users.assertNotErased(membership);
    const access = accessOf(parent.owner_id === caller.id, membership);
    const tier = parent.tiers.find(({ id }) => id === membership?.tier_id) ?? null;
    const benefits = parent.benefits.filter(
      ({ status, tier_ids }) => status === "active" && tier && tier_ids.includes(tier.id),
    );
    return {
      is_member: isMember(membership),
      access,
      status: membership?.status ?? null,
      tier,
      benefits: access.granted ? benefits.map((benefit) => toResponse(benefit, parent)) : [],
      current_period_end: membership?.current_period_end ?? null,
      cancel_at_period_end: membership?.cancel_at_period_end ?? false,
    };
  },
);
