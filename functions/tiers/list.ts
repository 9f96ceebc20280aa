import { list } from "#lib/contract/tiers.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(list, parentCommunity, ({ query, parent: { tiers } }) =>
  pageOf(
    tiers.filter(({ status }) => query.status === "all" || status === query.status),
    query,
  ),
);
