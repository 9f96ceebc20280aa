import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import * as brands from "#lib/store/brands.ts";
import { counted } from "../support/counting.ts";
import { startTable } from "../support/direct.ts";

const test = startTable();

it("lists and counts a producer's brands whole where they take more than one megabyte", async () => {
  const producer = randomUUID();
  const add = () => brands.add(test.table, { name: "🥃".repeat(120), producer_ids: [producer] }, new Date());
  for (let n = 0; n < 1600; n += 50) await Promise.all(Array.from({ length: 50 }, add));

  const count = counted(test.client);
  expect(await brands.list(test.table, producer)).toHaveLength(1600);
  expect(await brands.countUnder(test.table, [producer])).toEqual(new Map([[producer, 1600]]));
  expect(count.take().calls).toEqual(["Query", "Query", "Query", "Query"]);
});

it("stores a brand of forty producers and 120 letters in items of one write unit, doubled by the transaction", async () => {
  const producer_ids = Array.from({ length: 40 }, () => randomUUID()).toSorted();
  const count = counted(test.client);
  await brands.add(test.table, { name: "n".repeat(120), producer_ids }, new Date());
  expect(count.take().units).toBe(2 * 41);
});
