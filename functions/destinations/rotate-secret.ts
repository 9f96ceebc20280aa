import { rotateSecret } from "#lib/contract/destinations.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as destinations from "#lib/store/destinations.ts";

export const handler = endpoint(rotateSecret, destinationInPath, async ({ body, parent, record, table, actor }) => {
  const secret = newSecret(table.runtime);
  const next = storedSecret(secret, record.id, await openSealing(table.signal));
  const rotated = await destinations.rotate(table, parent, { record, next, overlapHours: body.overlap_hours }, actor);
  return { ...rotated, secret };
});
