import { data } from "#lib/contract/me.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { exportOf } from "#lib/person/export.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(data, everyone, async ({ caller, table, addressOf }) => {
  const [user, places, address] = await Promise.all([
    users.find(table, caller.id),
    memberships.ofUser(table, caller.id),
    addressOf(caller),
  ]);
  users.assertNotErased(user);
  return exportOf(table, user, places, address);
});
