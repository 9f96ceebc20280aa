import { movements } from "#lib/contract/communities.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { list } from "#lib/store/community-movements.ts";

export const handler = endpoint(
  movements,
  { guard: parentCommunity, read: ({ params, query, table }) => list(table, params.community_id, query) },
  ({ read }) => ({ total: null, ...read }),
);
