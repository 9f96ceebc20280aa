import { events } from "#lib/contract/communities.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { list } from "#lib/store/events.ts";

export const handler = endpoint(
  events,
  { guard: parentCommunity, read: ({ params, query, table }) => list(table, params.community_id, query) },
  ({ read }) => read,
);
