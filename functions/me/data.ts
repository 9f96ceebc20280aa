import { data } from "#lib/contract/me.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { exportOf } from "#lib/person/export.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(data, everyone, async ({ caller, table }) => {
  const user = await users.find(table, caller.id);
  users.assertNotErased(user);
  return exportOf(table, user);
});
