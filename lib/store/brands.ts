import * as v from "valibot";
import { brandFields } from "../fields/brand.ts";
import { type SetBy, shownIn, storedEntries } from "../fields/field.ts";
import { newUuid } from "../ids.ts";
import { pick } from "../pick.ts";
import { bytesOf } from "../values/uuid-bytes.ts";
import { type Actor, appendBrandEntry } from "./activity.ts";
import { alteredBy } from "./altered.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { timeOver, write } from "./write.ts";

/**
 * A stored brand: one item of its own, whose `version` is the condition of every write, and a full copy under each of its
 * producers. All are written in one transaction. A list is one Query, a single brand one Get, and a copy usually takes one
 * write unit.
 */
const StoredBrand = v.object(storedEntries(brandFields));
export type StoredBrand = v.InferOutput<typeof StoredBrand>;

export const fromItem = (item: Item): StoredBrand => v.parse(StoredBrand, item);

/** A brand that is linked to this producer. */
export async function find(table: Reader, producerId: string, brandId: string): Promise<StoredBrand | undefined> {
  const item = await table.get(keys.brandOfProducer(producerId, brandId));
  return item && fromItem(item);
}

/** All brands of a producer, in the order of their ids: one Query per megabyte. */
export async function list(table: Reader, producerId: string): Promise<StoredBrand[]> {
  const { pk, sk: prefix } = keys.brandOfProducer(producerId, "");
  const items = await queryAll(table, { pk, prefix });
  return items.map(fromItem);
}

/** Number of brands of each producer. */
export async function countUnder(table: Reader, producerIds: readonly string[]): Promise<Map<string, number>> {
  const counts = producerIds.map(async (producerId): Promise<[string, number]> => {
    const { pk, sk: prefix } = keys.brandOfProducer(producerId, "");
    return [producerId, await table.count({ pk, prefix })];
  });
  return new Map(await Promise.all(counts));
}

type Changes = Pick<StoredBrand, SetBy<typeof brandFields, "post" | "patch">>;

/** Adds a brand under its producers. */
export async function add(table: Writer, brand: Changes, by: Actor): Promise<StoredBrand> {
  const at = by.now.toISOString();
  const added = { id: newUuid(table.runtime.random), ...brand, created_at: at, updated_at: at, version: 1 };
  const entry = { action: "created", before: null, after: pick(added, auditedFields) } as const;
  await write(table, [
    { put: { ...keys.brand(added.id), ...attributesOf(added) }, when: "absent" },
    ...copiesOf(added, added.producer_ids),
    appendBrandEntry(table, added.id, entry, by),
  ]);
  return added;
}

/**
 * Renames a brand and replaces its links, if its version is still the one that was read. Writes nothing if nothing
 * differs. One transaction holds at most 40 removed links, 40 added links, the brand and its audit entry.
 */
export async function update(table: Writer, brand: StoredBrand, changes: Changes, by: Actor): Promise<StoredBrand> {
  const altered = alteredBy<Changes>(brand, changes);
  if (!altered) return brand;
  const now = timeOver(brand, by.now);
  const changed = { ...brand, ...changes, updated_at: now.toISOString(), version: brand.version + 1 };
  const { producer_ids: before } = brand;
  const { producer_ids: after } = changed;
  const linked = after.filter((id) => !before.includes(id));
  const unlinked = before.filter((id) => !after.includes(id));
  const set = attributesOf(changed);
  await write(table, [
    { update: keys.brand(brand.id), set, when: { is: { version: brand.version } } },
    ...after
      .filter((id) => before.includes(id))
      .map((id): Write => ({ update: keys.brandOfProducer(id, brand.id), set, when: "exists" })),
    ...copiesOf(changed, linked),
    ...unlinked.map((id) => ({ delete: keys.brandOfProducer(id, brand.id) })),
    appendBrandEntry(table, brand.id, { action: "edited", ...altered }, { ...by, now }),
  ]);
  return changed;
}

/** Removes a brand with all of its links, if its version is still the one that was read. */
export async function remove(table: Writer, brand: StoredBrand, by: Actor): Promise<void> {
  const { id, producer_ids, version } = brand;
  const entry = { action: "deleted", before: pick(brand, auditedFields), after: null } as const;
  await write(table, [
    { delete: keys.brand(id), when: { is: { version } } },
    ...producer_ids.map((producerId) => ({ delete: keys.brandOfProducer(producerId, id) })),
    appendBrandEntry(table, id, entry, { ...by, now: timeOver(brand, by.now) }),
  ]);
}

/** Fields of a new or deleted brand that the activity shows. */
const auditedFields = shownIn(brandFields, "activity");

const copiesOf = (brand: StoredBrand, producerIds: readonly string[]): Write[] =>
  producerIds.map((producerId) => ({
    put: { ...keys.brandOfProducer(producerId, brand.id), ...attributesOf(brand) },
    when: "absent",
  }));

const attributesOf = (brand: StoredBrand) => ({
  ...brand,
  id: bytesOf(brand.id),
  producer_ids: new Set(brand.producer_ids.map(bytesOf)),
});
