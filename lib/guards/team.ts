import type { Caller } from "../auth/caller.ts";
import { mayManage } from "../auth/policy.ts";
import * as communities from "../store/communities.ts";
import * as erasures from "../store/erasures.ts";
import * as invitations from "../store/invitations.ts";
import type { Reader } from "../store/table.ts";
import * as team from "../store/team.ts";
import { findPlace, isInForce } from "../store/team-places.ts";
import * as users from "../store/users.ts";
import { isSameEmail } from "../values/email.ts";

type InCommunity = { readonly params: { readonly community_id: number }; readonly table: Reader };

/** The community in the path with the people in its team. */
export async function parentWithTeam({ params, table }: InCommunity) {
  const community = await communities.open(table, params.community_id);
  return { parent: { ...community, team: await team.listOf(table, community) }, owned: community };
}

/**
 * The community in the path with its team and invitations, even those that have ended. They are read after the community, so
 * that they include every addition that the community's counter includes. A later addition causes a conflict.
 */
export async function parentWithInvitations({ params, table }: InCommunity) {
  const community = await communities.open(table, params.community_id);
  const [people, stored] = await Promise.all([team.listOf(table, community), invitations.listOf(table, community.id)]);
  return { parent: { ...community, team: people, invitations: stored }, owned: community };
}

type TeamMemberInput = {
  readonly params: { readonly community_id: number; readonly user_id: number };
  readonly table: Reader;
};

/** A person in the team of the community in the path. */
export async function teamMemberInPath({ params: { community_id, user_id }, table }: TeamMemberInput) {
  const [parent, place, user] = await Promise.all([
    communities.open(table, community_id),
    findPlace(table, community_id, user_id),
    users.find(table, user_id),
  ]);
  const record = place && user && isInForce(parent, place, table) ? { ...place, user } : null;
  const recordName = `person ${user_id} in the team of community ${community_id}`;
  return { parent, owned: parent, record, recordName, shown: record && team.toResponse(record, record.user) };
}

type InvitationInput = {
  readonly caller: Caller;
  readonly params: { readonly id: number };
  readonly table: Reader;
  readonly addressOf: (caller: Caller) => Promise<string | undefined>;
};

/** An invitation as the invited person sees it: the record is null for anybody else. */
export async function ownInvitation(input: InvitationInput) {
  const [found, erasure] = await Promise.all([
    invitationWithCommunity(input),
    erasures.find(input.table, input.caller.id),
  ]);
  const isTheirs = found && (await isOf(input, found.invitation));
  const isErased = erasure !== undefined;
  return isTheirs
    ? { record: found, shown: invitations.toResponse(found.invitation), isErased }
    : { record: null, isErased };
}

/**
 * An invitation that the caller may delete: as the owner of its community, as an admin, or because it is their own. The
 * record is null for anybody else.
 */
export async function removableInvitation(input: InvitationInput) {
  const found = await invitationWithCommunity(input);
  if (!found) return { record: null };
  const isRevoked = mayManage(input.caller, found.community);
  const mayRemove = isRevoked || (await isOf(input, found.invitation));
  const { invitation } = found;
  return mayRemove
    ? { record: { ...invitation, isRevoked }, shown: invitations.toResponse(invitation) }
    : { record: null };
}

async function invitationWithCommunity({ params: { id }, table }: InvitationInput) {
  const communityId = await invitations.communityOf(table, id);
  if (communityId === undefined) return undefined;
  const [community, invitation] = await Promise.all([
    communities.open(table, communityId),
    invitations.find(table, communityId, id),
  ]);
  return invitation && isInForce(community, invitation, table) ? { community, invitation } : undefined;
}

/** Whether the verified address of the caller, as the user pool has it now, is the invited one. */
async function isOf({ caller, addressOf }: InvitationInput, { email }: invitations.StoredInvitation): Promise<boolean> {
  const address = await addressOf(caller);
  return address !== undefined && isSameEmail(address, email);
}
