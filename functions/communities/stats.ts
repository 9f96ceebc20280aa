import { stats } from "#lib/contract/communities.ts";
import { noFigures } from "#lib/domain/figures.ts";
import { statsOf } from "#lib/domain/stats.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(stats, parentCommunity, ({ parent: { figures, tiers }, now }) =>
  statsOf(figures ?? noFigures, tiers, now),
);
