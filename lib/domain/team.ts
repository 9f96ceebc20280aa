import * as v from "valibot";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { invitationFields } from "../fields/invitation.ts";
import { teamMemberFields } from "../fields/team-member.ts";
import { Problem } from "../problem.ts";
import { emailChecks, maxEmailCharacters } from "../values/email.ts";
import { trimmed } from "../values/scalars.ts";
import { TeamRole } from "../values/team-role.ts";
import { PageQuery, Total } from "./page.ts";

const limits = { people: 50, invitations: 50 };

const pageEntries = { total: Total, has_more: v.boolean(), page: v.number(), per: v.number() };

/** A person in the team of a community. */
export const TeamMember = v.object(shownEntries(teamMemberFields, "api"));
export type TeamMember = v.InferOutput<typeof TeamMember>;

export const TeamQuery = v.object({ ...PageQuery.entries });

export const TeamPage = v.object({ ...pageEntries, data: v.array(TeamMember) });

export const TeamMemberUpdate = v.strictObject({
  team_member: v.strictObject({
    role: v.optional(TeamRole),
  } satisfies EntriesSetBy<typeof teamMemberFields, "patch">),
});

/** An open invitation to the team of a community. */
export const Invitation = v.object(shownEntries(invitationFields, "api"));
export type Invitation = v.InferOutput<typeof Invitation>;

export const InvitationListQuery = v.object({ ...PageQuery.entries });

export const InvitationPage = v.object({ ...pageEntries, data: v.array(Invitation) });

export const InvitationCreate = v.strictObject({
  invitation: v.strictObject({
    email: v.pipe(trimmed(3, maxEmailCharacters), ...emailChecks),
    role: TeamRole,
  } satisfies EntriesSetBy<typeof invitationFields, "post">),
});
export type InvitationCreate = v.InferOutput<typeof InvitationCreate>;

/** @throws Problem `limit_reached` if the team has 50 people */
export function assertRoomForPerson(team: readonly unknown[]): void {
  if (team.length >= limits.people)
    throw new Problem("limit_reached", { detail: `A team has at most ${limits.people} people` });
}

/** @throws Problem `limit_reached` if the community has 50 open invitations */
export function assertRoomForInvitation(invitations: readonly unknown[]): void {
  if (invitations.length >= limits.invitations)
    throw new Problem("limit_reached", { detail: `A community has at most ${limits.invitations} open invitations` });
}

/** How long an invitation can be accepted, in seconds. */
export const invitationSeconds = 14 * 24 * 60 * 60;
