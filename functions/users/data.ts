import { data } from "#lib/contract/users.ts";
import { userInPath } from "#lib/guards/users.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { exportOf } from "#lib/person/export.ts";

export const handler = endpoint(data, userInPath, ({ record, table }) => exportOf(table, record));
