import { list } from "#lib/contract/users.ts";
import { pageOf } from "#lib/domain/page.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(list, everyone, async ({ query, table }) => {
  const person = await users.ofEmail(table, query.email);
  return pageOf(person ? [users.shownPerson(person)] : [], query);
});
