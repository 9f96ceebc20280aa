import { stats } from "#lib/contract/communities.ts";
import { noFigures } from "#lib/domain/figures.ts";
import { statsOf } from "#lib/domain/stats.ts";
import { managesCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(stats, managesCommunity, async ({ parent, now }) => {
  const { figures, tiers } = await parent;
  return statsOf(figures ?? noFigures, tiers, now);
});
