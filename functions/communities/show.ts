import { show } from "#lib/contract/communities.ts";
import { anyCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, anyCommunity, ({ record }) => record);
