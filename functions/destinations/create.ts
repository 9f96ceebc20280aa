import { create } from "#lib/contract/destinations.ts";
import { assertReachable } from "#lib/delivery/reach.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import { parentWithDestinations } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as destinations from "#lib/store/destinations.ts";

export const handler = endpoint(create, parentWithDestinations, async ({ body, parent, table, actor }) => {
  const { event_destination: fields } = body;
  assertReachable(fields.url);
  const id = destinations.newDestinationId(table, actor.now);
  const secret = newSecret(table.runtime);
  const stored = { ...fields, id, ...storedSecret(secret, id, await openSealing(table.signal)) };
  return { ...(await destinations.add(table, parent, parent.destinations, stored, actor)), secret };
});
