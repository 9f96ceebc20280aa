import { list } from "#lib/contract/tiers.ts";
import { pageOf } from "#lib/domain/page.ts";
import { forPublic } from "#lib/domain/tier.ts";
import { parentCatalog } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/tiers.ts";

export const handler = endpoint(list, parentCatalog, ({ query, caller, parent, table }) => {
  const found = parent.tiers.filter(({ status }) => query.status === "all" || status === query.status);
  const { data, ...page } = pageOf(found, query);
  return { ...page, data: data.map((tier) => toResponse(caller ? tier : forPublic(tier), parent, table.runtime)) };
});
