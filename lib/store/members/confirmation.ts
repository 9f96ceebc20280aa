import * as v from "valibot";
import { keys } from "../keys.ts";
import type { Reader, Write, Writer } from "../table.ts";
import { write } from "../write.ts";
import type { StoredMember } from "./item.ts";

/**
 * How the latest synchronizations have left a member. Stored in the membership, because a write of the member is repeated in
 * four indexes (`docs/decisions/076-a-synchronization-without-changes-is-counted.md`).
 */
const Confirmation = v.object({
  /** The `sync_version` that the latest synchronization with changes has written. */
  confirmed_version: v.optional(v.number()),
  /** Number of synchronizations that had nothing to change. */
  confirmations: v.optional(v.number()),
});
export type Confirmation = v.InferOutput<typeof Confirmation>;

/**
 * Reads the confirmation of a member. Empty for new members, and for those that only earlier versions of Odis have
 * synchronized.
 *
 * @throws Error if the membership is missing, which `npm run restore:records` restores
 */
export async function confirmationOf(table: Reader, member: StoredMember | undefined): Promise<Confirmation> {
  if (!member) return {};
  const membership = await table.get(keys.membership(member.user.id, member.community_id));
  if (!membership) throw new Error(`Member ${member.id} has no membership`);
  return v.parse(Confirmation, membership);
}

/** The condition that no synchronization has ended since the confirmation was read. */
export const unchangedSince = ({ confirmed_version, confirmations }: Confirmation) => ({
  is: { confirmed_version, confirmations },
});

/** Counts a synchronization that had nothing to change. Throws a `Conflict` if another one has ended since. */
export async function confirm(table: Writer, member: StoredMember, confirmation: Confirmation): Promise<void> {
  const confirmations = (confirmation.confirmations ?? 0) + 1;
  const update = keys.membership(member.user.id, member.community_id);
  await write(table, [{ update, set: { confirmations }, when: unchangedSince(confirmation) }]);
}

/** Makes the next synchronization write the member, also if it has nothing to change. One that is in progress reads Stripe again. */
export const unconfirm = ({ user, community_id }: StoredMember): Write => ({
  update: keys.membership(user.id, community_id),
  set: { confirmed_version: undefined },
  when: "exists",
});
