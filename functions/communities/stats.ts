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
    async read({ params, table }) {
      const { starts, lastDay } = periodsOf({ interval: "day", from: undefined, to: undefined }, table.runtime.now());
      const firstDay = starts[0] ?? lastDay;
      const month = `${lastDay.slice(0, 7)}-01`;
      const rows = await sumsBetween(table, params.community_id, firstDay < month ? firstDay : month, lastDay);
      const since = (first: string) => rows.filter(([day]) => day >= first).map(([, sums]) => sums);
      return { days: since(firstDay), month: since(month) };
    },
  },
  ({ parent: { figures, tiers }, read, now }) => statsOf({ figures: figures ?? noFigures, ...read }, tiers, now),
);
