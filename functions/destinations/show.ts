import { show } from "#lib/contract/destinations.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, destinationInPath, ({ record }) => record);
