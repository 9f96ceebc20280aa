import { list } from "#lib/contract/benefits.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentCatalog } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/benefits.ts";

export const handler = endpoint(list, parentCatalog, ({ query, parent }) => {
  const matching = parent.benefits.filter(
    ({ status, tier_ids }) =>
      (query.status === "all" || status === query.status) &&
      (query.tier_id === undefined || tier_ids.includes(query.tier_id)),
  );
  const page = pageOf(matching, query);
  return { ...page, data: page.data.map((benefit) => toResponse(benefit, parent)) };
});
