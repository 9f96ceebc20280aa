import { unblock } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { limit } from "#lib/http/limit.ts";
import { present } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  unblock,
  managesMember,
  async ({ caller, record, parent, table, now, requestId }) => {
    const act = { by: await users.ensure(table, caller, now), requestId, now };
    return present(await members.unblock(table, await record, act), await parent);
  },
  { limit },
);
