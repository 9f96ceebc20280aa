import type { StoredActivity } from "../domain/activity.ts";
import type { DataActor, DataInvitation, DataMembership, DataTeam, PersonalData } from "../domain/personal-data.ts";
import { activityFields } from "../fields/activity.ts";
import { disputeFields } from "../fields/dispute.ts";
import { erasedRecord, type Fields, shownIn } from "../fields/field.ts";
import { operationFields } from "../fields/operation.ts";
import { paymentFields } from "../fields/payment.ts";
import { refundFields } from "../fields/refund.ts";
import { addLogFields } from "../log.ts";
import { pick } from "../pick.ts";
import { newestOfMember } from "../store/activity.ts";
import * as communities from "../store/communities.ts";
import { findAll } from "../store/community-list.ts";
import * as invitations from "../store/invitations.ts";
import { asShown, type StoredMember, toResponse } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import * as memberships from "../store/members/memberships.ts";
import { ledgerOf } from "../store/operations.ts";
import type { Reader } from "../store/table.ts";
import { communitiesOf, isInForce, placesOf } from "../store/team-places.ts";
import type { User } from "../store/users.ts";
import type { LastingRight } from "../values/lasting-right.ts";

/** Maximum activity entries of a membership, and maximum bytes of all entries. A Lambda response may have 6 MB. */
const limits = { entries: 1000, bytes: 3_000_000 };

/**
 * All stored data about a person (`docs/api.md`, section 11). The memberships are read in parallel. Logs the number of
 * records: the profile, the memberships, the teams and the invitations.
 *
 * @param address the verified address of the person's account, if they have one
 */
export async function exportOf(
  table: Reader,
  user: User | undefined,
  places: readonly memberships.Membership[],
  address = user?.email,
): Promise<PersonalData> {
  const shares = limits.bytes / Math.max(1, places.length);
  const [found, teams, invited] = await Promise.all([
    Promise.all(places.map((place) => membershipOf(table, place, shares))),
    user ? teamsOf(table, user.id) : [],
    address ? invitationsTo(table, address) : [],
  ]);
  const document = {
    profile: user ? { ...user, erased_at: user.erased_at ?? null } : null,
    memberships: found.flatMap((one) => one ?? []),
    teams,
    invitations: invited,
  };
  addLogFields({ records: (user ? 1 : 0) + document.memberships.length + teams.length + invited.length });
  return document;
}

async function membershipOf(
  table: Reader,
  { community_id, member_id }: memberships.Membership,
  maxBytes: number,
): Promise<DataMembership | undefined> {
  const [community, stored, found, newest] = await Promise.all([
    communities.open(table, community_id),
    members.find(table, community_id, member_id),
    ledgerOf(table, member_id),
    newestOfMember(table, member_id, limits.entries),
  ]);
  if (!stored) return undefined;
  const member = asShown(stored);
  const erased = <R extends Readonly<Record<string, unknown>>>(fields: Fields, all: readonly R[]): readonly R[] =>
    stored.erased_at === undefined ? all : all.map((one) => erasedRecord(fields, one));
  const ledger = {
    ...found,
    payments: erased(paymentFields, found.payments),
    refunds: erased(refundFields, found.refunds),
    operations: erased(operationFields, found.operations),
  };
  const activity = { ...newest, entries: erased(activityFields, newest.entries) };
  const shown = toResponse(member, community, table.runtime);
  const who = (id: number | null, otherwise: DataActor) =>
    roleOf({ member, ownerId: community.owner_id }, id, otherwise);
  const entries = activity.entries.map(({ id, at, action, actor, before, after }) => {
    const role = actor.type === "user" ? who(actor.id, "admin") : actor.type;
    return { id, at, action, actor: role, before, after };
  });
  const kept = withinBytes(entries, maxBytes);
  const operationsOfKeys = new Set(
    ledger.operations.flatMap(({ id, api_key_id }) => (api_key_id === undefined ? [] : [id])),
  );
  const refundsOfKeys = new Set(
    ledger.refunds.flatMap(({ refund_id, operation_id }) =>
      operation_id !== null && operationsOfKeys.has(operation_id) ? [refund_id] : [],
    ),
  );
  return {
    ...shown,
    member_id,
    tier: shown.membership_tier,
    ...pick(member, ["shipping_address", "notes", "blocked_at", "stripe_customer_id"]),
    metadata: member.custom,
    payments: newestFirst(ledger.payments, ({ created_at }) => created_at),
    refunds: newestFirst(allRefunds(member, [...ledger.refunds]), ({ issued_at }) => issued_at).map((refund) => ({
      ...refund,
      issued_by: who(refund.issued_by, refundsOfKeys.has(refund.refund_id) ? "api_key" : "stripe"),
    })),
    disputes: newestFirst(ledger.disputes, ({ created_at }) => created_at).map((dispute) =>
      pick(dispute, disputeNames),
    ),
    cancellations: newestFirst(ledger.operations, ({ created_at }) => created_at).flatMap((operation) => {
      const { intent, created_at: at, actor_id, api_key_id } = operation;
      if (intent.kind !== "cancel") return [];
      return [
        {
          at,
          requested_by: who(actor_id, api_key_id === undefined ? "system" : "api_key"),
          ...pick(intent, ["mode", "feedback", "comment"]),
        },
      ];
    }),
    activity: kept,
    activity_has_more: activity.hasMore || kept.length < entries.length,
  };
}

async function teamsOf(table: Reader, userId: number): Promise<DataTeam[]> {
  const found = await placesOf(table, userId, await communitiesOf(table, userId));
  return inCommunities(table, found);
}

async function invitationsTo(table: Reader, email: string): Promise<DataInvitation[]> {
  const found = await inCommunities(table, await invitations.toAddress(table, email));
  return found.map((invitation) => ({ ...invitation, ...invitations.toResponse(invitation) }));
}

/** Records whose right has not ended, with their communities. */
async function inCommunities<T extends { readonly community_id: number; readonly right: LastingRight }>(
  table: Reader,
  records: readonly T[],
) {
  const found = await findAll(
    table,
    records.map(({ community_id }) => community_id),
  );
  return records.flatMap((record) => {
    const community = found.get(record.community_id);
    return community && isInForce(community, record, table) ? [{ ...record, community }] : [];
  });
}

const disputeNames = shownIn(disputeFields, "export");

/** All refunds. Those of an import are only in the member's record until the first synchronization. */
const allRefunds = (member: StoredMember, stored: StoredMember["refunds"]): StoredMember["refunds"] => {
  const known = new Set(stored.map(({ refund_id }) => refund_id));
  return [...member.refunds.filter(({ refund_id }) => !known.has(refund_id)), ...stored];
};

const newestFirst = <T>(all: readonly T[], at: (one: T) => string): T[] =>
  all.toSorted((a, b) => (at(a) < at(b) ? 1 : -1));

type Roles = { readonly member: StoredMember; readonly ownerId: number };

/** Former owners, admins and people in the team all appear as `admin`. */
function roleOf({ member, ownerId }: Roles, id: StoredActivity["actor"]["id"], otherwise: DataActor): DataActor {
  if (id === null) return otherwise;
  if (id === member.user.id) return "self";
  return id === ownerId ? "owner" : "admin";
}

/** The first records that fit into a number of bytes. */
function withinBytes<T>(all: readonly T[], most: number): T[] {
  let left = most;
  return all.filter((one) => (left -= Buffer.byteLength(JSON.stringify(one))) >= 0);
}
