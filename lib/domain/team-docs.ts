import type { ShownIn } from "../fields/field.ts";
import type { invitationFields } from "../fields/invitation.ts";
import type { teamMemberFields } from "../fields/team-member.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import {
  Invitation,
  InvitationCreate,
  InvitationListQuery,
  InvitationPage,
  TeamMember,
  TeamMemberUpdate,
  TeamPage,
  TeamQuery,
} from "./team.ts";

/** What the documents say of a role. */
export const roleDoc = ["What the person may do in the community.", "support"] as const satisfies FieldDoc;

/** What the documents say of a person in a team. */
export const teamMemberDocs = {
  user: "Profile of the person.",
  role: roleDoc,
  created_at: ["Time at which the person joined the team.", "2026-11-03T09:30:00.000Z"],
  updated_at: ["Time of the last change.", "2026-11-21T05:16:02.000Z"],
} as const satisfies Record<ShownIn<typeof teamMemberFields, "api">, FieldDoc>;

/** What the documents say of an invitation. */
export const invitationDocs = {
  id: ["Unique identifier of the invitation.", 81],
  email: ["The invited email address.", "lea@example.com"],
  role: ["The role that the person gets.", "support"],
  invited_by: ["Identifier of the user who made the invitation.", 3],
  created_at: ["Time of the invitation.", "2026-11-21T05:16:02.000Z"],
  expires_at: ["Time from which the invitation can no longer be accepted.", "2026-12-05T05:16:02.000Z"],
} as const satisfies Record<ShownIn<typeof invitationFields, "api">, FieldDoc>;

describeFields(TeamMember, teamMemberDocs);
describeFields(TeamQuery, pageQueryDocs);
describeFields(TeamPage, pageDocs);
describeFields(TeamMemberUpdate, { team_member: "The fields to change. Omitted fields are left unchanged." });
describeFields(TeamMemberUpdate.entries.team_member, teamMemberDocs);
describeFields(Invitation, invitationDocs);
describeFields(InvitationListQuery, pageQueryDocs);
describeFields(InvitationPage, pageDocs);
describeFields(InvitationCreate, { invitation: "The new invitation." });
describeFields(InvitationCreate.entries.invitation, invitationDocs);
