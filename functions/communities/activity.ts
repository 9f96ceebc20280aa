import { activity } from "#lib/contract/communities.ts";
import type { CommunityActivity } from "#lib/domain/activity.ts";
import { communityInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { listOfCommunity } from "#lib/store/community-activity.ts";

export const handler = endpoint(
  activity,
  { guard: communityInPath, read: ({ params, query, table }) => listOfCommunity(table, params.id, query) },
  ({ read, role }) => ({ total: null, ...read, data: role ? read.data.map(withoutUrl) : read.data }),
);

/** Leaves out the URL of an event destination, which may include credentials. Only the owner and admins see it. */
function withoutUrl(entry: CommunityActivity): CommunityActivity {
  if (entry.record.type !== "event_destination") return entry;
  const [before, after] = [entry.before, entry.after].map((state) => state && { ...state, url: undefined });
  return { ...entry, before: before ?? null, after: after ?? null };
}
