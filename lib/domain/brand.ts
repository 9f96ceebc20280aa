import * as v from "valibot";
import { Problem } from "../problem.ts";
import { documented } from "../values/documented.ts";
import { Timestamp, text, Uuid } from "../values/scalars.ts";
import { Name } from "../values/shown.ts";
import { fold } from "./fold.ts";
import { PageQuery, pageDocs, pageQueryDocs, Total } from "./page.ts";
import { timeDocs } from "./record.ts";

const exampleDocs = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001"];
const nameDocs = ["Name of the brand.", "Casa Ruiz"] as const;

export const Brand = documented(
  v.object({
    id: Uuid,
    name: v.string(),
    producer_ids: v.array(Uuid),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the brand.", "0197a5b2-6f3e-7c41-9a55-1d2b3c4d5e6f"],
    name: nameDocs,
    producer_ids: ["Identifiers of the producers that the brand is linked to: 1 to 40, sorted.", exampleDocs],
    ...timeDocs,
  },
);
export type Brand = v.InferOutput<typeof Brand>;

export const BrandListQuery = documented(v.object({ ...PageQuery.entries, query: v.optional(text(1, 120)) }), {
  ...pageQueryDocs,
  query: ["Any part of the name. Case and accents are ignored.", "ruiz"],
});

export const BrandPage = documented(
  v.object({ total: Total, has_more: v.boolean(), page: v.number(), per: v.number(), data: v.array(Brand) }),
  pageDocs,
);

export const BrandCreate = documented(
  v.strictObject({
    brand: documented(v.strictObject({ name: Name, producer_ids: v.optional(v.array(Uuid)) }), {
      name: nameDocs,
      producer_ids: ["Identifiers of producers to link the brand to, in addition to the one in the path.", exampleDocs],
    }),
  }),
  { brand: "The new brand." },
);

export const BrandUpdate = documented(
  v.strictObject({
    brand: documented(
      v.strictObject({
        name: v.optional(Name),
        producer_ids: v.optional(v.pipe(v.array(Uuid), v.minLength(1, "must name at least one producer"))),
      }),
      {
        name: nameDocs,
        producer_ids: [
          "Identifiers of all producers to link the brand to. Replaces the list. The producer in the path is unlinked if it is not in the list.",
          exampleDocs,
        ],
      },
    ),
  }),
  { brand: "The fields to change. Omitted fields are left unchanged." },
);

const limits = { producersOfBrand: 40, brandsOfProducer: 1000 };

/**
 * The links of a brand: each producer once, sorted.
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
 * Refuses to link one more brand to a producer that has its 1,000; `counts` says how many each has. It is a guard, not
 * an invariant: brands linked at the same moment may exceed it.
 *
 * @throws Problem `limit_reached`
 */
export function assertRoom(counts: ReadonlyMap<string, number>, producerIds: readonly string[]): void {
  const full = producerIds.find((id) => (counts.get(id) ?? 0) >= limits.brandsOfProducer);
  if (full !== undefined)
    throw new Problem("limit_reached", { detail: `Producer ${full} has ${limits.brandsOfProducer} brands already` });
}

/** The brands whose name holds the query, if there is one, by folded name in code point order, then by id. */
export function named<T extends Pick<Brand, "id" | "name">>(brands: readonly T[], query = ""): T[] {
  const part = fold(query);
  return brands
    .map((brand) => ({ brand, name: fold(brand.name) }))
    .filter(({ name }) => name.includes(part))
    .map(({ brand, name }) => ({ brand, name: Buffer.from(name) }))
    .toSorted((a, b) => a.name.compare(b.name) || (a.brand.id < b.brand.id ? -1 : 1))
    .map(({ brand }) => brand);
}
