import { canonicalJson } from "../../canonical-json.ts";
import type { SetBy } from "../../fields/field.ts";
import type { memberFields } from "../../fields/member.ts";
import { pick } from "../../pick.ts";
import { Problem } from "../../problem.ts";
import { type Actor, type AuditEntry, appendAuditEntry, byActor } from "../activity.ts";
import { copyAgain } from "../due.ts";
import { keys } from "../keys.ts";
import type { Reader, Write, Writer } from "../table.ts";
import { timeOver, write } from "../write.ts";
import { unconfirm } from "./confirmation.ts";
import { changedFields, type Edit, editableNames } from "./editable.ts";
import { memberIndex } from "./index-keys.ts";
import { accessKeyOf, fromItem, itemOf, keyOf, membershipOf, parentOf, type StoredMember, searchOf } from "./item.ts";
import { recordMovement } from "./movements.ts";

export async function find(table: Reader, communityId: number, memberId: number): Promise<StoredMember | undefined> {
  const item = await table.get(keys.member(communityId, memberId));
  return item && fromItem(item);
}

/** Adds a member with its membership and search items. Throws a `Conflict` if the person is a member already. */
export async function add(table: Writer, member: StoredMember): Promise<void> {
  const items = [itemOf(member), parentOf(member), membershipOf(member), ...searchOf(member)];
  await write(table, [
    ...items.map((put): Write => ({ put, when: "absent" })),
    ...recordMovement(undefined, member, table.runtime.now()),
  ]);
}

/**
 * Updates the editable fields of a member if its version is still the one that was read and the `checks` hold. Writes
 * nothing if nothing differs.
 */
export async function update(
  table: Writer,
  member: StoredMember,
  { address_version, ...changes }: Edit,
  by: Actor,
  checks: readonly Write[] = [],
): Promise<StoredMember> {
  const actor = over(member, by);
  const names = editableNames.filter((name) => canonicalJson(member[name]) !== canonicalJson(changes[name]));
  const isEdited = names.length > 0;
  if (!isEdited && address_version === undefined) return member;
  const set = {
    // Also incremented if the address is unchanged, because a concurrent synchronization may be about to write another
    // address.
    ...(address_version !== undefined && { address_version }),
    ...(isEdited && { ...pick(changes, names), ...nextVersion(member, actor.now) }),
  };
  const entry = { action: "edited", after: changedFields(names) } as const;
  const after = { ...member, ...set };
  await write(table, [
    overwrite(member, { ...set, access_pk: accessKeyOf(after) }),
    ...(isEdited ? [audit(table, member, actor, entry)] : []),
    // A synchronization that is in progress may have read an address at Stripe that this one has not.
    ...(address_version === undefined ? [] : [unconfirm(member)]),
    ...checks,
  ]);
  return after;
}

/**
 * Ends a member's access, and stores the reason, the time and the user who blocked them. Keeps the subscription, and
 * schedules the task that expires open checkout sessions and drops a change that waits for its payment. Idempotent.
 *
 * @throws Problem `cannot_block_owner`, also if the member becomes the owner at the same time
 */
export async function block(
  table: Writer,
  member: StoredMember,
  reason: string | null,
  by: Actor,
): Promise<StoredMember> {
  if (member.is_blocked) return member;
  const actor = over(member, by);
  const set = { is_blocked: true, blocked_at: actor.now.toISOString(), blocked_by: actor.id, block_reason: reason };
  const after = { is_blocked: true, block_reason: reason };
  return moderate(table, member, { ...set, ...nextVersion(member, actor.now) }, [
    audit(table, member, actor, { action: "blocked", before: { is_blocked: false }, after }),
    {
      check: keys.community(member.community_id),
      when: { not: { owner_id: member.user.id } },
      otherwise: new Problem("cannot_block_owner"),
    },
    copyAgain(member.community_id, member.id),
  ]);
}

/** Restores a member's access. Idempotent. */
export async function unblock(table: Writer, member: StoredMember, by: Actor): Promise<StoredMember> {
  if (!member.is_blocked) return member;
  const actor = over(member, by);
  const set = { is_blocked: false, blocked_at: null, blocked_by: null, block_reason: null };
  const before = { is_blocked: true, block_reason: member.block_reason };
  return moderate(table, member, { ...set, ...nextVersion(member, actor.now) }, [
    audit(table, member, actor, { action: "unblocked", before, after: { is_blocked: false } }),
  ]);
}

const audit = (
  table: Reader,
  member: StoredMember,
  by: Actor,
  entry: Omit<AuditEntry, "actor" | "request_id">,
): Write => appendAuditEntry(table, member, { ...entry, actor: byActor(by), request_id: by.requestId }, by.now);

type Moderation = Pick<StoredMember, SetBy<typeof memberFields, "block"> | "version" | "updated_at">;

/** Changes the block in the member and in the person's membership in one transaction. */
async function moderate(table: Writer, member: StoredMember, set: Moderation, checks: Write[]): Promise<StoredMember> {
  const blocked_pk = memberIndex.blocked(member.community_id, set.is_blocked);
  const after = { ...member, ...set };
  await write(table, [
    overwrite(member, { ...set, blocked_pk, access_pk: accessKeyOf(after) }),
    {
      update: keys.membership(member.user.id, member.community_id),
      set: { is_blocked: set.is_blocked },
      when: "exists",
    },
    ...recordMovement(member, after, new Date(set.updated_at)),
    ...checks,
  ]);
  return after;
}

const overwrite = (member: StoredMember, set: Record<string, unknown>): Write => ({
  update: keyOf(member),
  set,
  when: { is: { version: member.version } },
});

/** A condition without a write: its transaction fails if the member has changed since it was read. */
export const unchanged = (member: StoredMember): Write => ({
  check: keyOf(member),
  when: { is: { version: member.version } },
});

const nextVersion = ({ version }: StoredMember, now: Date) => ({
  version: version + 1,
  updated_at: now.toISOString(),
});

/** The actor, with the time of this write. */
const over = (member: StoredMember, actor: Actor): Actor => ({ ...actor, now: timeOver(member, actor.now) });
