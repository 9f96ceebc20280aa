import { list } from "#lib/contract/team.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentWithTeam } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponses } from "#lib/store/team.ts";

export const handler = endpoint(list, parentWithTeam, async ({ query, parent, table }) => {
  const { data, ...page } = pageOf(parent.team, query);
  return { ...page, data: await toResponses(table, data) };
});
