import type { Interval } from "../domain/change.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { assertAuthorized } from "../store/ownership.ts";
import { type OpenedSession, openSession } from "./checkout.ts";
import type { BillingContext } from "./context.ts";
import { expireSessions } from "./sessions.ts";
import { inProgress } from "./stripe.ts";
import { soldAs } from "./tier-price.ts";

/**
 * Opens Stripe's hosted checkout for a member whose subscription is free, and who has no card. The subscription that it starts
 * replaces the free one, which ends once the new one is paid.
 *
 * @param replaces the id of the free subscription
 * @throws Problem `unknown_tier`
 */
export function openReplacement(
  context: BillingContext,
  { record, parent }: { readonly record: StoredMember; readonly parent: Pick<OpenCommunity, "tiers"> },
  { tier_id, interval, return_url }: { tier_id: number; interval: Interval; return_url: string },
  replaces: { readonly subscription: string; readonly operationId: string },
): Promise<OpenedSession> {
  const { tier, price_id: price } = soldAs(parent, tier_id, interval);
  return openSession(context, {
    userId: record.user.id,
    customer: record.stripe_customer_id ?? "",
    tier,
    price,
    hasTrial: false,
    member: { community_id: record.community_id, member_id: record.id },
    request: { success_url: return_url, cancel_url: return_url },
    operationId: replaces.operationId,
    replaces: replaces.subscription,
  }).catch(asInProgress);
}

/** Expires the checkout sessions of a member whose subscription is free: a paid one would replace it. */
export async function expireReplacements({ table, billing }: BillingContext, member: StoredMember): Promise<void> {
  const { monthly_cents, stripe_customer_id } = member;
  if (monthly_cents !== 0 || stripe_customer_id === null) return;
  await assertAuthorized(table);
  await expireSessions(billing, stripe_customer_id).catch(asInProgress);
}

/** A session that was paid has started a subscription, which a synchronization is about to show. */
function asInProgress(error: unknown): never {
  if (!(error instanceof Problem && error.code === "already_a_member")) throw error;
  throw inProgress(error);
}
