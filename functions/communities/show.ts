import { show } from "#lib/contract/communities.ts";
import { forPublic } from "#lib/domain/community.ts";
import { communityInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, communityInPath, ({ record, caller }) => (caller ? record : forPublic(record)));
