import { removeInvitation } from "#lib/contract/team.ts";
import { removableInvitation } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as invitations from "#lib/store/invitations.ts";

export const handler = endpoint(removeInvitation, removableInvitation, ({ record, table, actor }) => {
  const action = record.isRevoked ? "team_invitation_revoked" : "team_invitation_declined";
  return invitations.remove(table, record, action, actor);
});
