import { createHash } from "node:crypto";
import { canonicalJson } from "../../canonical-json.ts";
import type { ImportedMember, MemberImport } from "../../domain/member-import.ts";
import { valuesBefore } from "../../fields/field.ts";
import { memberFields } from "../../fields/member.ts";
import { pastId, timeOf } from "../../ids.ts";
import { pick } from "../../pick.ts";
import type { Runtime } from "../../runtime.ts";
import { isSameEmail } from "../../values/email.ts";
import { statuses } from "../../values/member-status.ts";
import type { Metadata } from "../../values/metadata.ts";
import { type Actor, appendAuditEntry, byActor } from "../activity.ts";
import { addressHash } from "../address-hash.ts";
import { copyAgain, moveDue } from "../due.ts";
import { keys } from "../keys.ts";
import type { OpenCommunity } from "../open-community.ts";
import type { Reader, Write } from "../table.ts";
import { newUser, notErased, profile, shownPerson, stillHas, type User } from "../users.ts";
import { timeOver } from "../write.ts";
import { assertNoSums, customerOf, followed, tied } from "./import-customer.ts";
import {
  isAsImported,
  itemOf,
  keyOf,
  membershipOf,
  parentOf,
  type StoredMember,
  searchOf,
  withoutKey,
} from "./item.ts";
import { recordMovement } from "./movements.ts";
import { Refused } from "./refused.ts";
import type { StoredState } from "./stored-state.ts";

/** A record to import. `index` is its position in the request. */
export type ImportOrder = {
  readonly index: number;
  readonly record: MemberImport;
  readonly metadata: Metadata;
  /** The data of the record's Stripe customer. */
  readonly atStripe?: AtStripe;
};

/** The subscription of the member, or the reason why the record cannot be imported. */
export type AtStripe = { readonly subscription_id: string | null } | Refused;

/** The data that decisions are based on. */
export type ImportContext = {
  readonly community: OpenCommunity;
  readonly stored: StoredState;
  readonly actor: Actor;
  readonly table: Reader;
  /** A user whom the import must not concern. */
  readonly excludedId?: number | undefined;
};

/** The decision about a record. */
export type Decision = Pick<ImportedMember, "outcome"> & {
  readonly id: number;
  readonly writes: readonly Write[];
  /** The user whom the record blocks. They must not own the community when it is written. */
  readonly blocks?: number;
};

/**
 * Decides what to write for a record. A record that differs from an earlier import replaces it only if neither people nor
 * Stripe have changed the member since.
 *
 * @throws Refused
 */
export function decide(
  { community, stored, actor, table, excludedId }: ImportContext,
  { record, metadata, atStripe = { subscription_id: null } }: ImportOrder,
): Decision {
  const now = actor.now.toISOString();
  const tier = community.tiers.find(({ id }) => id === record.tier_id);
  if (!tier) throw new Refused("/tier_id", "unknown_reference", "must be a tier of the community");
  const refund = record.refunds.findIndex(({ issued_at }) => issued_at > now);
  const future = record.created_at > now ? "/created_at" : refund >= 0 ? `/refunds/${refund}/issued_at` : undefined;
  if (future !== undefined) throw new Refused(future, "in_the_future", "must not be in the future");

  const storedUser = personOf(stored, record);
  const { random } = table.runtime;
  const user = storedUser ?? newPerson(record, actor.now, random);
  if (storedUser?.erased_at !== undefined) throw isErased();
  if (user.id === excludedId) throw new Refused("/user", "not_allowed", "must not be the caller");
  if (record.is_blocked && user.id === community.owner_id) throw isOwner();

  const before = storedUser && stored.member(storedUser.id);
  const reserved = storedUser && stored.customer(storedUser.id);
  const id = before?.id ?? reserved?.member_id ?? record.id ?? pastId(new Date(record.created_at), random, actor.now);
  if (record.id !== undefined && record.id !== id)
    throw new Refused("/id", "other_member", `must be ${id}: the member that this person is or will be`);

  const fingerprint = createHash("sha256").update(JSON.stringify(record)).digest("base64url");
  if (before && before.imported?.fingerprint === fingerprint) return { id, outcome: "unchanged", writes: [] };
  if (before && !isAsImported(before)) throw alreadyMember("");
  // A checkout has copied the address to Stripe, from where it comes back.
  const isCopied = before !== undefined && before.stripe_customer_id === null && reserved?.customer_id != null;
  if (isCopied && canonicalJson(before.shipping_address) !== canonicalJson(record.shipping_address))
    throw alreadyMember("/shipping_address");

  if (atStripe instanceof Refused) throw atStripe;
  // A record without a customer keeps the customer of an earlier import.
  if (before?.stripe_customer_id != null && record.stripe_customer_id === null) assertNoSums(record);
  const { user: _, metadata: __, ...own } = record;
  const version = (before?.version ?? 0) + 1;
  const hashes = hashesIn(record);
  const at = timeOver(before, actor.now);
  const member: StoredMember = {
    ...valuesBefore(memberFields),
    ...own,
    ...metadata,
    id,
    community_id: community.id,
    created_at: createdAt(record, id, { before, isReserved: reserved !== undefined }),
    user: before?.user ?? shownPerson(user),
    blocked_at: record.is_blocked ? (record.blocked_at ?? now) : null,
    stripe_customer_id: customerOf(stored, record, reserved, id),
    // A record without a customer keeps the customer and subscription of an earlier import.
    stripe_subscription_id:
      record.stripe_customer_id === null ? (before?.stripe_subscription_id ?? null) : atStripe.subscription_id,
    first_granted_at: null,
    requires_shipping_address: tier.requires_shipping_address,
    // `npm run migrate` sets this for members that were imported before movements were recorded.
    ...(before ? pick(before, ["recorded_since"]) : { recorded_since: at.toISOString() }),
    imported: {
      fingerprint,
      version,
      at: at.toISOString(),
      address_hashes: [...new Set([...(before?.imported?.address_hashes ?? []), ...hashes])],
    },
    opening: pick(record, ["lifetime_spend_cents", "total_refunded_cents"]),
    is_address_imported: record.shipping_address !== null,
    sync_version: 0,
    version,
    updated_at: at.toISOString(),
  };
  return {
    id,
    outcome: before ? "updated" : "created",
    ...(record.is_blocked && { blocks: user.id }),
    writes: [
      ...(storedUser ? [notErased(storedUser.id, isErased())] : profile(user, { ownsEmail: user.email !== "" })),
      ...(before
        ? replaced(before, member)
        : added(member, { isOldId: record.id !== undefined, isReserved: reserved !== undefined })),
      ...(storedUser && !before ? [stillHas(member.user)] : []),
      ...hashes.map((hash): Write => ({ put: { ...keys.importedAs(hash, community.id), user_id: user.id } })),
      ...tied(stored, member, reserved),
      ...followed(before, member),
      ...moveDue(before, member),
      ...recordMovement(before, member, at),
      // They may have an open checkout session, and must not complete it.
      ...((member.is_blocked || statuses[member.status].isLive) && reserved?.customer_id
        ? [copyAgain(community.id, id)]
        : []),
      appendAuditEntry(table, member, { action: "imported", actor: byActor(actor), request_id: actor.requestId }, at),
    ],
  };
}

/** The time in a generated id, so that times have the order of ids. For other ids, the time of the record. */
function createdAt(
  { id: requestedId, created_at }: MemberImport,
  id: number,
  { before, isReserved }: { readonly before: StoredMember | undefined; readonly isReserved: boolean },
): string {
  const drawnAt = timeOf(id);
  if (requestedId === undefined && before) return before.created_at;
  const isDrawn = Math.abs(drawnAt.getTime() - Date.parse(created_at)) < 60_000;
  return isDrawn || (requestedId === undefined && isReserved) ? drawnAt.toISOString() : created_at;
}

/**
 * The profile of a record's person. Undefined if they have none.
 *
 * @throws Refused if the id and the email address belong to different people, or if the community has imported another
 * person with the address
 */
function personOf(stored: StoredState, { user }: MemberImport): User | undefined {
  const { id, email } = user;
  const owner = email === undefined ? undefined : stored.ownerOf(email);
  const imported = email === undefined ? undefined : stored.importedAs(email);
  if (id !== undefined && owner !== undefined && owner !== id)
    throw new Refused("/user/email", "other_user", `is of user ${owner}`);
  if (id === undefined && owner !== undefined && imported !== undefined && owner !== imported)
    throw new Refused("/user/email", "other_user", "is of another person than in an earlier import");
  const userId = stored.idOf(user);
  const storedUser = userId === undefined ? undefined : stored.user(userId);
  const isOther = id !== undefined && email !== undefined && storedUser?.email && !isSameEmail(storedUser.email, email);
  if (isOther) throw new Refused("/user/id", "other_user", "belongs to someone with another email address");
  return storedUser;
}

/** Hashes of the address by which a record finds its person. The same record finds them even after their address has changed. */
const hashesIn = ({ user: { id, email } }: MemberImport): string[] =>
  id === undefined && email !== undefined ? [addressHash(email)] : [];

const newPerson = ({ user: { id, ...names } }: MemberImport, now: Date, random: Runtime["random"]): User => ({
  ...newUser({ ...names, sub: null }, now, random),
  // Spreads the ids over a minute. The ids of 25 records in the same millisecond would often collide.
  id: id ?? pastId(new Date(now.getTime() - 60_000), random, now),
});

/**
 * Writes of a new member. If a generated id is taken, the record is decided again with another id. The profile of a
 * new person comes first, then the membership: if they have joined Odis or the community meanwhile, as by another run of the
 * same import, the record is decided again before its id counts as somebody else's.
 */
function added(member: StoredMember, { isOldId, isReserved }: { isOldId: boolean; isReserved: boolean }): Write[] {
  const ofIds: Write[] = [
    ...[itemOf(member), parentOf(member)].map((put): Write => ({ put, when: "absent" })),
    ...(isReserved ? [] : [{ check: keys.reservedMember(member.id), when: "absent" as const }]),
  ];
  const otherwise = new Refused("/id", "id_taken", "is of another member");
  return [
    { put: membershipOf(member), when: "absent" },
    ...ofIds.map((one) => (isOldId ? { ...one, otherwise } : one)),
    ...searchOf(member).map((put): Write => ({ put })),
  ];
}

const replaced = (before: StoredMember, member: StoredMember): Write[] => [
  { update: keyOf(member), set: withoutKey(itemOf(member)), when: { is: pick(before, ["version", "sync_version"]) } },
  {
    update: keys.membership(member.user.id, member.community_id),
    set: withoutKey(membershipOf(member)),
    when: "exists",
  },
];

export const isOwner = () =>
  new Refused("/is_blocked", "cannot_block_owner", "must be false for the community's owner");
const alreadyMember = (pointer: string) =>
  new Refused(pointer, "already_a_member", "is of a member who was not imported or has changed since");
const isErased = () => new Refused("/user/id", "person_erased", "is of a person who was erased");
