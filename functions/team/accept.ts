import { accept } from "#lib/contract/team.ts";
import { ownInvitation } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as team from "#lib/store/team.ts";
import { findPlace } from "#lib/store/team-places.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(accept, ownInvitation, async ({ caller, record, table, actor, now }) => {
  const { community } = record;
  const [people, earlier, user] = await Promise.all([
    team.listOf(table, community),
    findPlace(table, community.id, actor.id),
    users.find(table, actor.id),
  ]);
  const member = await team.join(table, { ...record, team: people, earlier }, actor);
  return team.toResponse(member, user ?? (await users.made(table, caller, now)));
});
