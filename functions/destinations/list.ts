import { list } from "#lib/contract/destinations.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentWithDestinations } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(list, parentWithDestinations, ({ query, parent }) =>
  pageOf(parent.destinations, query),
);
