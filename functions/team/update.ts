import { update } from "#lib/contract/team.ts";
import { teamMemberInPath } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as team from "#lib/store/team.ts";

export const handler = endpoint(update, teamMemberInPath, async ({ body, record: { user, ...place }, table, actor }) =>
  team.toResponse(await team.update(table, place, body.team_member, actor), user),
);
