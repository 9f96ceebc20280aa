import { resend } from "#lib/contract/destinations.ts";
import { attempt } from "#lib/delivery/attempt.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";
import * as deliveries from "#lib/store/deliveries.ts";

export const handler = endpoint(
  resend,
  destinationInPath,
  async ({ params, record, table }) => {
    const delivery = await deliveries.find(table, record.id, params.delivery_id);
    if (!delivery) throw new Problem("not_found", { detail: "There is no such delivery" });
    if (record.status === "disabled") throw new Problem("destination_disabled");
    return attempt(table, delivery, record, await openSealing(table.signal));
  },
  { writesInSteps: true },
);
