import { show } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(show, memberInPath, ({ record, parent, table }) =>
  toResponse(record, parent, table.runtime),
);
