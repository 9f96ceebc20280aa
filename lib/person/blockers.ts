import { ownSubscriptions } from "../billing/ownership.ts";
import { snapshotOf } from "../billing/payments.ts";
import { type ChargeWithRefunds, isLive, type Snapshot } from "../billing/snapshot.ts";
import type { Billing } from "../billing/stripe.ts";
import type { Blocker } from "../domain/erasure.ts";
import { closedDisputes } from "../domain/fact-change.ts";
import * as communities from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import { keys, prefixOf } from "../store/keys.ts";
import * as members from "../store/members/members.ts";
import { ledgerOf } from "../store/operations.ts";
import { queryAll } from "../store/query-all.ts";
import type { Reader } from "../store/table.ts";

type Context = { readonly table: Reader; readonly billing: Billing };

/**
 * What currently prevents the erasure of a person, read from the table and from Stripe: each code once per member.
 * A customer that no longer exists at Stripe does not prevent it.
 */
export async function blockersOf(context: Context, userId: number): Promise<Blocker[]> {
  const [owned, places] = await Promise.all([
    ownedBy(context.table, userId),
    customers.placesOf(context.table, userId),
  ]);
  const ofPlaces = await Promise.all(places.map((place) => blockersAt(context, place)));
  return [
    ...owned.map((community_id): Blocker => ({ code: "owns_community", community_id, member_id: null })),
    ...ofPlaces.flat(),
  ];
}

/** The communities that a person owns, archived ones included. */
async function ownedBy(table: Reader, userId: number): Promise<number[]> {
  const { pk } = keys.ownedCommunity(userId, 0);
  const items = await queryAll(table, { pk, prefix: prefixOf("ownedCommunity").sk });
  return items.map(({ community_id }) => Number(community_id));
}

async function blockersAt({ table, billing }: Context, place: customers.CustomerPlace): Promise<Blocker[]> {
  const { community_id, member_id, customer_id } = place;
  const [ledger, member, { tiers }, snapshot] = await Promise.all([
    ledgerOf(table, member_id),
    members.find(table, community_id, member_id),
    communities.open(table, community_id),
    customer_id === null ? undefined : snapshotOf(billing, customer_id),
  ]);
  const { subscriptions = [], charges = [] }: Partial<Snapshot> = snapshot ?? {};
  const tierIds = new Set(tiers.map(({ id }) => id));
  const own = ownSubscriptions(member, subscriptions, ledger, { memberId: member_id, tierIds });
  const holds: readonly (readonly [Blocker["code"], boolean])[] = [
    ["live_subscription", own.some(isLive)],
    ["foreign_subscription", subscriptions.some((one) => isLive(one) && !own.includes(one))],
    ["open_operation", ledger.operations.some(({ state }) => state === "open")],
    ["pending_payment", charges.some(isPending)],
    ["open_dispute", charges.some(({ disputes }) => disputes.some(({ status }) => !closedDisputes.includes(status)))],
  ];
  return holds.flatMap(([code, isSo]) => (isSo ? [{ code, community_id, member_id }] : []));
}

/** A payment or a refund that has not settled. */
const isPending = ({ charge, refunds }: ChargeWithRefunds): boolean =>
  charge.status === "pending" || refunds.some(({ status }) => status === "pending" || status === "requires_action");
