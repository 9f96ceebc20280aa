import { update } from "#lib/contract/brands.ts";
import { assertRoom, linksOf } from "#lib/domain/brand.ts";
import { brandInPath } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as brands from "#lib/store/brands.ts";

export const handler = endpoint(
  update,
  {
    guard: brandInPath,
    async read({ body, table }) {
      const links = body.brand.producer_ids && linksOf(body.brand.producer_ids);
      return { links, counts: await brands.countUnder(table, links ?? []) };
    },
  },
  ({ body, record, read, table, actor }) => {
    const { name = record.name } = body.brand;
    const producer_ids = read.links ?? record.producer_ids;
    const added = producer_ids.filter((id) => !record.producer_ids.includes(id));
    assertRoom(read.counts, added);
    return brands.update(table, record, { name, producer_ids }, actor);
  },
);
