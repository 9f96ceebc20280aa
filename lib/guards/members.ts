import type { Caller } from "../auth/caller.ts";
import * as catalog from "../store/catalog.ts";
import * as members from "../store/members/members.ts";
import * as memberships from "../store/members/memberships.ts";
import type { Reader } from "../store/table.ts";
import * as users from "../store/users.ts";

type GuardInput = {
  readonly caller: Caller;
  readonly params: { readonly community_id: number };
  readonly table: Reader;
};

/**
 * The caller's own member record in the community in the path: two round trips. Undefined for a caller who is not a member.
 *
 * @throws Problem `invalid_token` for a person who was erased
 */
export async function findOwnMember({ caller, params: { community_id }, table }: GuardInput) {
  const membership = await memberships.find(table, caller.id, community_id);
  users.assertNotErased(membership);
  return membership && members.find(table, community_id, membership.member_id);
}

/**
 * The caller's own member record in the community in the path, with its benefits: two round trips. The record is null for
 * a caller who is not a member.
 *
 * @throws Problem `invalid_token` for a person who was erased
 */
export async function ownMember(input: GuardInput) {
  const { community_id } = input.params;
  const [parent, record = null] = await Promise.all([catalog.open(input.table, community_id), findOwnMember(input)]);
  const recordName = `membership of the caller in community ${community_id}`;
  return { parent, record, recordName, memberId: record?.id };
}
