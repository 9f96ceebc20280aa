import { Problem } from "../problem.ts";
import * as communities from "../store/communities.ts";
import { expireSession } from "./checkout.ts";
import type { BillingContext } from "./context.ts";

/**
 * Expires the open checkout sessions of a community's archived tiers, or of all its tiers if the community is archived. If
 * a session is completed first, a synchronization cancels and refunds the subscription.
 */
export async function expireArchived({ table, billing }: BillingContext, communityId: number): Promise<void> {
  const { status, tiers } = await communities.open(table, communityId);
  const archivedTierIds = tiers
    .filter((tier) => status === "archived" || tier.status === "archived")
    .map(({ id }) => String(id));
  // Stripe cannot list the sessions of a price.
  const openSessions = await billing((stripe, options) =>
    stripe.checkout.sessions.list({ status: "open", limit: 100 }, options).autoPagingToArray({ limit: 10_000 }),
  );
  for (const { id, metadata } of openSessions)
    if (metadata?.community_id === String(communityId) && archivedTierIds.includes(metadata.tier_id ?? ""))
      await expireSession(billing, id).catch((error: unknown) => {
        if (!(error instanceof Problem && error.code === "already_a_member")) throw error;
      });
}
