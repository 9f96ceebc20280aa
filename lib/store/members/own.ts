import type * as v from "valibot";
import { accessOf, isMember } from "../../domain/access.ts";
import type { Membership as OwnMembership } from "../../domain/membership.ts";
import { toResponse } from "../benefits.ts";
import type { Catalog } from "../catalog.ts";
import { withCurrentName } from "./item.ts";
import type { Membership } from "./memberships.ts";

/** A person's own membership as the API returns it. `membership` is undefined for a person who is not a member. */
export function membershipIn(
  community: Catalog,
  userId: number,
  membership: Membership | undefined,
): v.InferOutput<typeof OwnMembership> {
  const access = accessOf(community.owner_id === userId, membership);
  const tier = community.tiers.find(({ id }) => id === membership?.tier_id) ?? null;
  const benefits = community.benefits.filter(
    ({ status, tier_ids }) => status === "active" && tier && tier_ids.includes(tier.id),
  );
  return {
    is_member: isMember(membership),
    member_id: membership?.member_id ?? null,
    access,
    status: membership?.status ?? null,
    tier,
    benefits: access.granted ? benefits.map((benefit) => toResponse(benefit, community)) : [],
    current_period_end: membership?.current_period_end ?? null,
    cancel_at_period_end: membership?.cancel_at_period_end ?? false,
    cancel_at: membership?.cancel_at ?? null,
    interval: membership?.interval ?? null,
    price_cents: membership?.price_cents ?? null,
    scheduled_change: withCurrentName(membership?.scheduled_change ?? null, community.tiers),
  };
}
