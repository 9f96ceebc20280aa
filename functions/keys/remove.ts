import { remove } from "#lib/contract/keys.ts";
import { manageableApiKey } from "#lib/guards/keys.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as apiKeys from "#lib/store/api-keys.ts";

export const handler = endpoint(remove, manageableApiKey, ({ record, table, actor }) =>
  apiKeys.remove(table, record, actor),
);
