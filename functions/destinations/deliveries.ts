import { deliveries } from "#lib/contract/destinations.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { list, standingAt } from "#lib/store/deliveries.ts";

export const handler = endpoint(
  deliveries,
  { guard: destinationInPath, read: ({ params, query, table }) => list(table, params.id, query) },
  ({ read, record }) => ({ ...read, data: read.data.map((delivery) => standingAt(record, delivery)) }),
);
