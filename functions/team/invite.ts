import { invite } from "#lib/contract/team.ts";
import { parentWithInvitations } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as invitations from "#lib/store/invitations.ts";
import { assertNotInTeam } from "#lib/store/team.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(invite, parentWithInvitations, async ({ body, parent, table, actor }) => {
  const { invitation } = body;
  assertNotInTeam(parent, parent.team, await users.idOfEmail(table, invitation.email));
  return invitations.toResponse(await invitations.add(table, parent, parent.invitations, invitation, actor));
});
