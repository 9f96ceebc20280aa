import { unblock } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";

export const handler = endpoint(unblock, memberInPath, async ({ record, parent, table, actor }) =>
  toResponse(await members.unblock(table, record, actor), parent, table.runtime),
);
