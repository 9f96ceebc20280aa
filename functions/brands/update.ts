import { update } from "#lib/contract/brands.ts";
import { assertRoom, linksOf } from "#lib/domain/brand.ts";
import { linkedBrand } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as brands from "#lib/store/brands.ts";

export const handler = endpoint(
  update,
  linkedBrand,
  async ({ body, record, table, now }) => {
    const wanted = body.brand.producer_ids && linksOf(body.brand.producer_ids);
    const [brand, counts] = await Promise.all([record, brands.countUnder(table, wanted ?? [])]);
    const { name = brand.name } = body.brand;
    const producer_ids = wanted ?? brand.producer_ids;
    const added = producer_ids.filter((id) => !brand.producer_ids.includes(id));
    assertRoom(counts, added);
    return brands.update(table, brand, { name, producer_ids }, now);
  },
  { startsEarly: true },
);
