import { update } from "#lib/contract/destinations.ts";
import { assertReachable } from "#lib/delivery/reach.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as destinations from "#lib/store/destinations.ts";

export const handler = endpoint(update, destinationInPath, ({ body, parent, record, table, actor }) => {
  assertReachable(body.event_destination.url);
  return destinations.update(table, parent, record, body.event_destination, actor);
});
