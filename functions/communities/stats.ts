import { stats } from "#lib/contract/communities.ts";
import { noFigures } from "#lib/domain/figures.ts";
import { periodsOf } from "#lib/domain/period.ts";
import { statsOf } from "#lib/domain/stats.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { sumsBetween } from "#lib/store/series.ts";

export const handler = endpoint(
  stats,
  {
    guard: parentCommunity,
    read({ params, table }) {
      const { starts, lastDay } = periodsOf({ interval: "day", from: undefined, to: undefined }, table.runtime.now());
      return sumsBetween(table, params.community_id, starts[0] ?? lastDay, lastDay);
    },
  },
  ({ parent: { figures, tiers }, read, now }) =>
    statsOf({ figures: figures ?? noFigures, days: read.map(([, sums]) => sums) }, tiers, now),
);
