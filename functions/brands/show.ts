import { show } from "#lib/contract/brands.ts";
import { brandInPath } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, brandInPath, ({ record }) => record);
