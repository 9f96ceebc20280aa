import { series } from "#lib/contract/communities.ts";
import { periodsOf } from "#lib/domain/period.ts";
import { pointsOf, unitOf } from "#lib/domain/series.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { rowsFor } from "#lib/store/series.ts";

export const handler = endpoint(
  series,
  {
    guard: parentCommunity,
    async read({ params, query, table }) {
      const periods = periodsOf(query, table.runtime.now());
      return { ...periods, rows: await rowsFor(table, params.community_id, query.metric, periods) };
    },
  },
  ({ query: { metric }, read: { interval, starts, rows } }) => ({
    metric,
    interval,
    unit: unitOf(metric),
    points: pointsOf(metric, starts, rows),
  }),
);
