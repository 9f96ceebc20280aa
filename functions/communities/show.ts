import { show } from "#lib/contract/communities.ts";
import { communityInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, communityInPath, ({ record }) => record);
