import { create } from "#lib/contract/brands.ts";
import { assertRoom, linksOf } from "#lib/domain/brand.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as brands from "#lib/store/brands.ts";

export const handler = endpoint(create, everyone, async ({ params, body, table, actor }) => {
  const { name, producer_ids = [] } = body.brand;
  const links = linksOf([params.producer_id, ...producer_ids]);
  assertRoom(await brands.countUnder(table, links), links);
  return brands.add(table, { name, producer_ids: links }, actor);
});
