import { rotateSecret } from "#lib/contract/destinations.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { newSecret, overlapFrom, storedSecret } from "#lib/delivery/secret.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as destinations from "#lib/store/destinations.ts";

export const handler = endpoint(rotateSecret, destinationInPath, async ({ parent, record, table, actor }) => {
  const secret = newSecret(table.runtime);
  const next = { ...storedSecret(secret, record.id, await openSealing(table.signal)), until: overlapFrom(actor.now) };
  return { ...(await destinations.rotate(table, parent, record, next, actor)), secret };
});
