import { list } from "#lib/contract/tiers.ts";
import { pageOf } from "#lib/domain/page.ts";
import { underCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(list, underCommunity, async ({ query, parent }) => {
  const { tiers } = await parent;
  return pageOf(
    tiers.filter(({ status }) => query.status === "all" || status === query.status),
    query,
  );
});
