import { remove } from "#lib/contract/team.ts";
import { teamMemberInPath } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as team from "#lib/store/team.ts";

export const handler = endpoint(remove, teamMemberInPath, ({ record, table, actor }) =>
  team.remove(table, record, actor),
);
