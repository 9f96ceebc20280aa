import { list } from "#lib/contract/brands.ts";
import { named } from "#lib/domain/brand.ts";
import { pageOf } from "#lib/domain/page.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as brands from "#lib/store/brands.ts";

export const handler = endpoint(list, everyone, async ({ params, query, table }) =>
  pageOf(named(await brands.list(table, params.producer_id), query.query), query),
);
