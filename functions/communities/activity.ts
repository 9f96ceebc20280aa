import { activity } from "#lib/contract/communities.ts";
import { communityInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { listOfCommunity } from "#lib/store/activity.ts";

export const handler = endpoint(
  activity,
  { guard: communityInPath, read: ({ params, query, table }) => listOfCommunity(table, params.id, query) },
  ({ read }) => read,
);
