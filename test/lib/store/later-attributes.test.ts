import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import * as brands from "#lib/store/brands.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { givenBy } from "../../support/given.ts";

const test = startTable();

/** Sets an attribute that this version does not have. */
const setImage = (update: Key) =>
  write(test.table, [{ update, set: { image_url: "https://example.com/agave.png" }, when: "exists" }]);
const imageOf = async (key: Key) => (await test.table.get(key))?.image_url;

it("an attribute that a later version of Odis added to a brand and its links is kept by an edit", async () => {
  const [kept, left, joined] = [randomUUID(), randomUUID(), randomUUID()] as const;
  const brand = await brands.add(test.table, { name: "Sotol", producer_ids: [kept, left].toSorted() }, givenBy());
  const stored = [keys.brand(brand.id), keys.brandOfProducer(kept, brand.id)];
  for (const key of stored) await setImage(key);
  const changes = { name: "Sotol Norte", producer_ids: [kept, joined].toSorted() };
  const edited = await brands.update(test.table, brand, changes, givenBy());
  for (const key of stored) expect(await imageOf(key)).toBe("https://example.com/agave.png");
  expect(await brands.find(test.table, kept, brand.id)).toEqual(edited);
  expect(await brands.find(test.table, joined, brand.id)).toEqual(edited);
  expect(await brands.find(test.table, left, brand.id)).toBeUndefined();
});
