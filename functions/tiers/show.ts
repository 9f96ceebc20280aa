import { show } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, tierInPath, ({ record }) => record);
