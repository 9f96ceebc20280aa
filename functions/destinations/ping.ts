import { ping } from "#lib/contract/destinations.ts";
import { ping as pingDestination } from "#lib/delivery/ping.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(
  ping,
  destinationInPath,
  ({ record, table, now }) => pingDestination(table, record, now),
  { writesInSteps: true },
);
