import * as v from "valibot";
import { assertRoomForInvitation, type Invitation, type InvitationCreate, invitationSeconds } from "../domain/team.ts";
import { shownIn, storedEntries } from "../fields/field.ts";
import { invitationFields } from "../fields/invitation.ts";
import { newId } from "../ids.ts";
import { pick } from "../pick.ts";
import { isSameEmail } from "../values/email.ts";
import { Grantor, rightIn } from "../values/lasting-right.ts";
import { Id } from "../values/scalars.ts";
import { type Actor, appendCommunityEntry, type UserActor } from "./activity.ts";
import { addressHash } from "./address-hash.ts";
import type { StoredCommunity } from "./communities.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { keys, ofKind, prefixOf } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { isInForce } from "./team-places.ts";
import { write } from "./write.ts";

const StoredInvitation = v.object(storedEntries(invitationFields));
export type StoredInvitation = v.InferOutput<typeof StoredInvitation>;

export const fromItem = (item: Item): StoredInvitation => v.parse(StoredInvitation, item);

/** The invitations of a community, even those whose right has ended, oldest first: one strongly consistent Query. */
export async function listOf(table: Reader, communityId: number): Promise<StoredInvitation[]> {
  const items = await queryAll(table, { pk: keys.invitation(communityId, 0).pk });
  return ofKind(items, "invitation").map(fromItem);
}

/** Those invitations of a community whose right has not ended. */
export const openOf = (
  table: Reader,
  community: StoredCommunity,
  stored: readonly StoredInvitation[],
): StoredInvitation[] => stored.filter((invitation) => isInForce(community, invitation, table));

/** The id of the community that an invitation belongs to. */
export async function communityOf(table: Reader, invitationId: number): Promise<number | undefined> {
  const item = await table.get(keys.invitationParent(invitationId));
  return item && v.parse(v.object({ community_id: Id }), item).community_id;
}

/** An invitation, even if its right has ended. */
export async function find(
  table: Reader,
  communityId: number,
  invitationId: number,
): Promise<StoredInvitation | undefined> {
  const item = await table.get(keys.invitation(communityId, invitationId));
  return item && fromItem(item);
}

/** The invitations to an email address, even those whose right has ended: two round trips. */
export const toAddress = (table: Reader, email: string): Promise<StoredInvitation[]> =>
  toAddressHash(table, addressHash(email));

/** Whether an address has an invitation whose right has not ended: at most three round trips. */
export async function isInvited(table: Reader, email: string): Promise<boolean> {
  const invited = await toAddress(table, email);
  const items = await table.getAll(invited.map(({ community_id }) => keys.community(community_id)));
  const communities = new Map(items.map((item) => [item.id, v.parse(Grantor, item)]));
  return invited.some((invitation) => {
    const community = communities.get(invitation.community_id);
    return community !== undefined && isInForce(community, invitation, table);
  });
}

/** The same as `toAddress` for the hash of an address. */
export async function toAddressHash(table: Reader, hash: string): Promise<StoredInvitation[]> {
  const { pk } = keys.invitationTo(hash, 0);
  const found = await queryAll(table, { pk, prefix: prefixOf("invitationTo").sk });
  const ids = found.map((item) => v.parse(v.object({ community_id: Id, invitation_id: Id }), item));
  const items = await table.getAll(ids.map((one) => keys.invitation(one.community_id, one.invitation_id)));
  return items.map(fromItem);
}

/**
 * Invites an email address to the team of a community. Replaces earlier invitations of the address, also those whose right has
 * ended, because an erasure finds only one. Of two concurrent additions, the later throws a `Conflict`, so that the limit
 * holds.
 *
 * @param stored the invitations of the community
 * @throws Problem `limit_reached`
 */
export async function add(
  table: Writer,
  community: StoredCommunity,
  stored: readonly StoredInvitation[],
  input: InvitationCreate["invitation"],
  by: UserActor,
): Promise<StoredInvitation> {
  const { id: community_id, ownership, team_changes } = community;
  const replaced = stored.filter(({ email }) => isSameEmail(email, input.email));
  assertRoomForInvitation(openOf(table, community, stored).filter((invitation) => !replaced.includes(invitation)));
  const expires_at = Math.floor(by.now.getTime() / 1000) + invitationSeconds;
  const invitation: StoredInvitation = {
    ...input,
    id: newId(by.now, table.runtime.random),
    community_id,
    invited_by: by.id,
    right: rightIn(community, table.runtime.epoch),
    created_at: by.now.toISOString(),
    expires_at,
  };
  const { id, email } = invitation;
  // Ids of the same millisecond may collide. A transaction may not write an item twice.
  if (replaced.some((earlier) => earlier.id === id)) throw new Conflict("The id is taken");
  await write(table, [
    { put: { ...keys.invitation(community_id, id), ...invitation }, when: "absent" },
    { put: { ...keys.invitationParent(id), community_id, expires_at }, when: "absent" },
    { put: { ...keys.invitationTo(addressHash(email), community_id), community_id, invitation_id: id, expires_at } },
    ...replaced.flatMap((earlier) => [
      { delete: keys.invitation(community_id, earlier.id) },
      { delete: keys.invitationParent(earlier.id) },
    ]),
    {
      update: keys.community(community_id),
      set: { team_changes: (team_changes ?? 0) + 1 },
      when: { is: { team_changes, ownership } },
    },
    entryOf(table, invitation, { action: "team_invited", before: null, after: pick(invitation, auditedFields) }, by),
  ]);
  return invitation;
}

/** Deletes an invitation. Throws a `Conflict` if it has been deleted since it was read. */
export async function remove(
  table: Writer,
  invitation: StoredInvitation,
  action: "team_invitation_revoked" | "team_invitation_declined",
  by: Actor,
): Promise<void> {
  await write(table, [
    ...deletionOf(invitation),
    entryOf(table, invitation, { action, before: pick(invitation, auditedFields), after: null }, by),
  ]);
}

/** Deletes an invitation with the items that find it. */
export const deletionOf = ({ community_id, id, email }: StoredInvitation): Write[] => [
  { delete: keys.invitation(community_id, id), when: "exists" },
  { delete: keys.invitationParent(id) },
  { delete: keys.invitationTo(addressHash(email), community_id) },
];

/** The invitation as the API returns it. */
export const toResponse = (invitation: StoredInvitation): Invitation => ({
  ...invitation,
  expires_at: new Date(invitation.expires_at * 1000).toISOString(),
});

/** Fields of an invitation that the activity shows. The email address is not among them. */
const auditedFields = shownIn(invitationFields, "activity");

type Entry = Omit<Parameters<typeof appendCommunityEntry>[2], "record">;

const entryOf = (table: Reader, { community_id, id }: StoredInvitation, entry: Entry, by: Actor): Write =>
  appendCommunityEntry(table, community_id, { record: { type: "invitation", id }, ...entry }, by);
