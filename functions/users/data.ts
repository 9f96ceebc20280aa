import { data } from "#lib/contract/users.ts";
import { userInPath } from "#lib/guards/users.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { exportOf } from "#lib/person/export.ts";
import * as memberships from "#lib/store/members/memberships.ts";

export const handler = endpoint(
  data,
  { guard: userInPath, read: ({ params, table }) => memberships.ofUser(table, params.id) },
  async ({ record, read: places, table, addressOf }) =>
    exportOf(table, record, places, record.sub === null ? undefined : await addressOf({ sub: record.sub })),
);
