import { newApiKey } from "#lib/auth/api-key.ts";
import { create } from "#lib/contract/keys.ts";
import { parentWithApiKeys } from "#lib/guards/keys.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { newId } from "#lib/ids.ts";
import * as apiKeys from "#lib/store/api-keys.ts";

export const handler = endpoint(create, parentWithApiKeys, async ({ body, parent, table, actor }) => {
  const id = newId(actor.now, table.runtime.random);
  const { key, ...stored } = newApiKey(id, table.runtime);
  const apiKey = await apiKeys.add(table, parent, parent.apiKeys, { ...body.api_key, id, ...stored }, actor);
  return { ...apiKeys.toResponse(apiKey), key };
});
