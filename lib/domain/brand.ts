import * as v from "valibot";
import { brandFields } from "../fields/brand.ts";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { Problem } from "../problem.ts";
import { text, Uuid } from "../values/scalars.ts";
import { Name } from "../values/shown.ts";
import { fold } from "./fold.ts";
import { PageQuery, Total } from "./page.ts";

export const Brand = v.object(shownEntries(brandFields, "api"));
export type Brand = v.InferOutput<typeof Brand>;

export const BrandListQuery = v.object({ ...PageQuery.entries, query: v.optional(text(1, 120)) });

export const BrandPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Brand),
});

export const BrandCreate = v.strictObject({
  brand: v.strictObject({
    name: Name,
    producer_ids: v.optional(v.array(Uuid)),
  } satisfies EntriesSetBy<typeof brandFields, "post">),
});

export const BrandUpdate = v.strictObject({
  brand: v.strictObject({
    name: v.optional(Name),
    producer_ids: v.optional(v.pipe(v.array(Uuid), v.minLength(1, "must name at least one producer"))),
  } satisfies EntriesSetBy<typeof brandFields, "patch">),
});

const limits = { producersOfBrand: 40, brandsOfProducer: 1000 };

/**
 * The producer ids of a brand, without duplicates and sorted.
 *
 * @throws Problem `limit_reached` for more than 40
 */
export function linksOf(producerIds: readonly string[]): string[] {
  const links = [...new Set(producerIds)].toSorted();
  if (links.length > limits.producersOfBrand)
    throw new Problem("limit_reached", {
      detail: `A brand has at most ${limits.producersOfBrand} producers`,
      errors: [
        {
          pointer: "/brand/producer_ids",
          code: "too_many",
          message: `must have at most ${limits.producersOfBrand} items, with the producer in the path`,
        },
      ],
    });
  return links;
}

/**
 * Refuses to link a brand to a producer that has 1,000 brands. `counts` are the brands of each producer. Brands that are
 * linked at the same time may exceed the limit.
 *
 * @throws Problem `limit_reached`
 */
export function assertRoom(counts: ReadonlyMap<string, number>, producerIds: readonly string[]): void {
  const full = producerIds.find((id) => (counts.get(id) ?? 0) >= limits.brandsOfProducer);
  if (full !== undefined)
    throw new Problem("limit_reached", { detail: `Producer ${full} has ${limits.brandsOfProducer} brands already` });
}

/** The brands whose names contain the query, sorted by folded name in code point order, then by id. */
export function named<T extends Pick<Brand, "id" | "name">>(brands: readonly T[], query = ""): T[] {
  const part = fold(query);
  return brands
    .map((brand) => ({ brand, name: fold(brand.name) }))
    .filter(({ name }) => name.includes(part))
    .map(({ brand, name }) => ({ brand, name: Buffer.from(name) }))
    .toSorted((a, b) => a.name.compare(b.name) || (a.brand.id < b.brand.id ? -1 : 1))
    .map(({ brand }) => brand);
}
