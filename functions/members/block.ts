import { block } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/member-item.ts";
import * as members from "#lib/store/members.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(block, managesMember, async ({ body, caller, record, parent, table, now }) => {
  const by = await users.ensure(table, caller, now);
  const member = await members.block(table, await record, { by, reason: body.reason ?? null, now });
  return present(member, await parent);
});
