import type Stripe from "stripe";
import { Problem } from "../problem.ts";
import * as communities from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { BillingContext } from "./context.ts";
import { type Billing, isUnknownCustomer, problemOf, recoveryFrom } from "./stripe.ts";

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
      await closeSession(billing, id);
}

/** Expires a session of somebody who may not join. Ignores one that was completed first. */
async function closeSession(billing: Billing, id: string): Promise<void> {
  await expireSession(billing, id).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === "already_a_member")) throw error;
  });
}

/**
 * Expires the open checkout sessions of a customer who may not join. If a session is completed first, a synchronization
 * cancels and refunds the subscription.
 */
export async function closeSessions(billing: Billing, customer: string): Promise<void> {
  const sessions = await openSessionsOf(billing, customer).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return [];
  });
  for (const { id } of sessions) await closeSession(billing, id);
}

/** The same for a member, whose record may not have the customer of their latest checkout yet. */
export async function closeSessionsOf(
  { table, billing }: Pick<BillingContext, "table" | "billing">,
  { user, community_id, stripe_customer_id }: StoredMember,
): Promise<void> {
  const customer = (await customers.find(table, user.id, community_id))?.customer_id ?? stripe_customer_id;
  if (customer !== null) await closeSessions(billing, customer);
}

/**
 * Expires a customer's open checkout sessions, except that of the given attempt.
 *
 * @throws Problem `already_a_member` if a session was completed in the meantime
 */
export async function expireSessions(billing: Billing, customer: string, attempt?: string): Promise<void> {
  const others = (await openSessionsOf(billing, customer)).filter(
    ({ metadata }) => attempt === undefined || metadata?.attempt !== attempt,
  );
  await Promise.all(others.map(({ id }) => expireSession(billing, id)));
}

const openSessionsOf = async (billing: Billing, customer: string): Promise<Stripe.Checkout.Session[]> => {
  const query = { customer, status: "open", limit: 100 } as const;
  return (await billing((stripe, options) => stripe.checkout.sessions.list(query, options))).data;
};

/** @throws Problem `already_a_member` if the session was completed */
export async function expireSession(billing: Billing, id: string): Promise<void> {
  await billing((stripe, options) => stripe.checkout.sessions.expire(id, {}, options)).catch((error: unknown) => {
    if (recoveryFrom("expiry", error) !== "ignore") throw problemOf("expiry", error) ?? error;
  });
}
