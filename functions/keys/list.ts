import { list } from "#lib/contract/keys.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentWithApiKeys } from "#lib/guards/keys.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponses } from "#lib/store/api-keys.ts";

export const handler = endpoint(list, parentWithApiKeys, async ({ query, parent, table }) => {
  const { data, ...page } = pageOf(parent.apiKeys, query);
  return { ...page, data: await toResponses(table, data) };
});
