import * as v from "valibot";
import { assertRoomForPerson, type TeamMember } from "../domain/team.ts";
import { shownIn } from "../fields/field.ts";
import { teamMemberFields } from "../fields/team-member.ts";
import { pick } from "../pick.ts";
import { Problem, unauthorized } from "../problem.ts";
import { rightIn } from "../values/lasting-right.ts";
import { type Actor, appendCommunityEntry, type UserActor } from "./activity.ts";
import { alteredBy } from "./altered.ts";
import type { StoredCommunity } from "./communities.ts";
import { deletionOf, type StoredInvitation } from "./invitations.ts";
import { keys, ofKind } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { fromItem, isInForce, type StoredTeamMember } from "./team-places.ts";
import { notErased, shownPerson, User } from "./users.ts";
import { timeOver, write } from "./write.ts";

/** The people in the team of a community, by user id: one strongly consistent Query. */
export async function listOf(table: Reader, community: StoredCommunity): Promise<StoredTeamMember[]> {
  const items = await queryAll(table, { pk: keys.teamMember(community.id, 0).pk });
  return ofKind(items, "teamMember")
    .map(fromItem)
    .filter((member) => isInForce(community, member, table));
}

/** The people of a team as the API returns them, with their current names. */
export async function toResponses(table: Reader, members: readonly StoredTeamMember[]): Promise<TeamMember[]> {
  const items = await table.getAll(members.map(({ user_id }) => keys.user(user_id)));
  const users = new Map(items.map((item) => v.parse(User, item)).map((user) => [user.id, user]));
  return members.flatMap((member) => {
    const user = users.get(member.user_id);
    return user ? [toResponse(member, user)] : [];
  });
}

/** A person in a team as the API returns them. */
export const toResponse = (member: StoredTeamMember, user: User): TeamMember => ({
  ...member,
  user: shownPerson(user),
});

/**
 * Adds a person to the team of a community and deletes their invitation. Of two concurrent additions, the later throws a
 * `Conflict`, so that the limit holds. Throws a `Conflict` if the invitation has been deleted or the community has been
 * transferred since they were read.
 *
 * @param team the people who are in the team
 * @param earlier the person's place whose right has ended
 * @throws Problem `already_in_team`, `limit_reached`; `invalid_token` if the person was erased
 */
export async function join(
  table: Writer,
  { community, invitation, team, earlier }: Joining,
  by: UserActor,
): Promise<StoredTeamMember> {
  const { id: community_id, owner_id, ownership, team_changes = 0 } = community;
  assertNotInTeam(community, team, by.id);
  assertRoomForPerson(team);
  const at = by.now.toISOString();
  const member: StoredTeamMember = {
    ...pick(invitation, ["role"]),
    user_id: by.id,
    community_id,
    right: rightIn(community, table.runtime.epoch),
    created_at: at,
    updated_at: at,
    version: (earlier?.version ?? 0) + 1,
  };
  const key = keys.teamMember(community_id, by.id);
  await write(table, [
    earlier
      ? { update: key, set: member, when: { is: { version: earlier.version } } }
      : { put: { ...key, ...member }, when: "absent" },
    { put: { ...keys.teamOf(by.id, community_id), community_id } },
    ...deletionOf(invitation),
    {
      update: keys.community(community_id),
      set: { team_changes: team_changes + 1 },
      when: { is: { team_changes: community.team_changes, ownership, owner_id } },
    },
    notErased(by.id, unauthorized("invalid_token")),
    entryOf(table, member, { action: "team_joined", before: null, after: pick(member, auditedFields) }, by),
  ]);
  return member;
}

type Joining = {
  readonly community: StoredCommunity;
  readonly invitation: StoredInvitation;
  readonly team: readonly StoredTeamMember[];
  readonly earlier: StoredTeamMember | undefined;
};

/** @throws Problem `already_in_team` for the owner of a community and the people in its team */
export function assertNotInTeam(
  { owner_id }: Pick<StoredCommunity, "owner_id">,
  team: readonly StoredTeamMember[],
  userId: number | undefined,
): void {
  if (userId === owner_id) throw new Problem("already_in_team", { detail: "The person owns the community" });
  if (team.some(({ user_id }) => user_id === userId)) throw new Problem("already_in_team");
}

/** Changes the role of a person in a team if the version is still the one that was read. */
export async function update(
  table: Writer,
  member: StoredTeamMember,
  changes: Partial<Pick<StoredTeamMember, "role">>,
  by: Actor,
): Promise<StoredTeamMember> {
  const altered = alteredBy<StoredTeamMember>(member, changes);
  if (!altered) return member;
  const { version } = member;
  const now = timeOver(member, by.now);
  const set = { ...altered.after, updated_at: now.toISOString(), version: version + 1 };
  await write(table, [
    { update: keys.teamMember(member.community_id, member.user_id), set, when: { is: { version } } },
    entryOf(table, member, { action: "team_role_changed", ...altered }, { ...by, now }),
  ]);
  return { ...member, ...set };
}

/** Removes a person from a team if the version is still the one that was read. */
export async function remove(table: Writer, member: StoredTeamMember, by: Actor): Promise<void> {
  const { community_id, user_id, version } = member;
  const entry = { action: "team_removed", before: pick(member, auditedFields), after: null } as const;
  await write(table, [
    { delete: keys.teamMember(community_id, user_id), when: { is: { version } } },
    { delete: keys.teamOf(user_id, community_id) },
    entryOf(table, member, entry, { ...by, now: timeOver(member, by.now) }),
  ]);
}

/** Fields of a new or removed person in a team that the activity shows. */
const auditedFields = shownIn(teamMemberFields, "activity");

type Entry = Omit<Parameters<typeof appendCommunityEntry>[2], "record">;

const entryOf = (table: Reader, { community_id, user_id }: StoredTeamMember, entry: Entry, by: Actor): Write =>
  appendCommunityEntry(table, community_id, { record: { type: "team_member", id: user_id }, ...entry }, by);
