import { remove } from "#lib/contract/destinations.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as destinations from "#lib/store/destinations.ts";

export const handler = endpoint(remove, destinationInPath, ({ record, table, actor }) =>
  destinations.remove(table, record, actor),
);
