import { ownSubscriptions } from "../billing/ownership.ts";
import { findSnapshot } from "../billing/payments.ts";
import { type ChargeWithRefunds, isLive, type Snapshot, tierOf } from "../billing/snapshot.ts";
import type { Billing } from "../billing/stripe.ts";
import type { Blocker, CanceledSubscription } from "../domain/erasure.ts";
import { closedDisputes } from "../fields/fact-change.ts";
import { pick } from "../pick.ts";
import * as communities from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { keys, prefixOf } from "../store/keys.ts";
import * as members from "../store/members/members.ts";
import type { Link } from "../store/members/sync.ts";
import { type Ledger, ledgerOf } from "../store/operations.ts";
import { queryAll } from "../store/query-all.ts";
import type { Reader } from "../store/table.ts";

type Context = { readonly table: Reader; readonly billing: Billing };

/** A subscription that an erasure cancels, or that an earlier attempt at the erasure has canceled. */
export type Cancellation = {
  readonly link: Link;
  readonly subscription_id: string;
  readonly isLive: boolean;
  readonly tier: CanceledSubscription["tier"];
};

/**
 * The selection of subscriptions to cancel. Undefined: none. Otherwise live subscriptions, those whose cancellation is
 * unfinished, and those canceled since `since`, the time of the request's first attempt.
 */
export type Cancels = { readonly since: Date } | undefined;

/** The operation that cancels a subscription for an erasure. */
export const operationIdOf = (subscription_id: string): string => `erasure-${subscription_id}`;

/**
 * The current blockers of a person's erasure from the table and Stripe, each code once per member, and the
 * subscriptions that the erasure cancels. A customer that no longer exists at Stripe does not block the erasure.
 */
export async function blockersOf(
  context: Context,
  userId: number,
  cancels?: Cancels,
): Promise<{ readonly blockers: Blocker[]; readonly cancellations: Cancellation[] }> {
  const [owned, places] = await Promise.all([
    ownedBy(context.table, userId),
    customers.placesOf(context.table, userId),
  ]);
  const ofPlaces = await Promise.all(places.map((place) => blockersAt(context, userId, place, cancels)));
  return {
    blockers: [
      ...owned.map((community_id): Blocker => ({ code: "owns_community", community_id, member_id: null })),
      ...ofPlaces.flatMap(({ blockers }) => blockers),
    ],
    cancellations: ofPlaces.flatMap(({ cancellations }) => cancellations),
  };
}

/** The ids of all communities that a person owns, including archived ones. */
async function ownedBy(table: Reader, userId: number): Promise<number[]> {
  const { pk } = keys.ownedCommunity(userId, 0);
  const items = await queryAll(table, { pk, prefix: prefixOf("ownedCommunity").sk });
  return items.map(({ community_id }) => Number(community_id));
}

async function blockersAt(
  { table, billing }: Context,
  user_id: number,
  place: customers.CustomerPlace,
  cancels: Cancels,
) {
  const { community_id, member_id, customer_id } = place;
  const [ledger, member, { tiers }, snapshot] = await Promise.all([
    ledgerOf(table, member_id),
    members.find(table, community_id, member_id),
    communities.open(table, community_id),
    customer_id === null ? undefined : findSnapshot(billing, customer_id),
  ]);
  const { subscriptions = [], charges = [] }: Partial<Snapshot> = snapshot ?? {};
  const tierIds = new Set(tiers.map(({ id }) => id));
  const own = ownSubscriptions(member, subscriptions, ledger, { memberId: member_id, tierIds });
  const canceled = own.filter((one) => isLive(one) || isCanceledSince(ledger, one.id, cancels));
  const open = ledger.operations.filter(({ state }) => state === "open");
  const ids = new Set(cancels && canceled.map(({ id }) => operationIdOf(id)));
  const holds: readonly (readonly [Blocker["code"], boolean])[] = [
    ["live_subscription", cancels === undefined && own.some(isLive)],
    ["foreign_subscription", subscriptions.some((one) => isLive(one) && !own.includes(one))],
    ["open_operation", open.some(({ id }) => !ids.has(id))],
    ["pending_payment", charges.some(isPending)],
    ["open_dispute", charges.some(({ disputes }) => disputes.some(({ status }) => !closedDisputes.includes(status)))],
  ];
  const link = { customer_id: customer_id ?? "", community_id, member_id, user_id };
  const cancellations = canceled.map((one): Cancellation => {
    const tier = tiers.find(({ id }) => id === tierOf(one, tierIds));
    return { link, subscription_id: one.id, isLive: isLive(one), tier: tier ? pick(tier, ["id", "name"]) : null };
  });
  return {
    blockers: holds.flatMap(([code, isSo]) => (isSo ? [{ code, community_id, member_id }] : [])),
    cancellations: cancels ? cancellations : [],
  };
}

/** Whether a subscription is being canceled for any erasure, or was canceled for the current one. */
function isCanceledSince({ operations }: Ledger, subscriptionId: string, cancels: Cancels): boolean {
  const operation = operations.find(({ id }) => id === operationIdOf(subscriptionId));
  if (!operation || !cancels) return false;
  return operation.state === "open" || operation.created_at >= cancels.since.toISOString();
}

/** A payment or a refund that has not settled. */
const isPending = ({ charge, refunds }: ChargeWithRefunds): boolean =>
  charge.status === "pending" || refunds.some(({ status }) => status === "pending" || status === "requires_action");
