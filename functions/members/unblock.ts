import { unblock } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/member-item.ts";
import * as members from "#lib/store/members.ts";

export const handler = endpoint(unblock, managesMember, async ({ record, parent, table, now }) =>
  present(await members.unblock(table, await record, now), await parent),
);
