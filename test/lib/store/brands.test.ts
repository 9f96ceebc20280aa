import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import * as brands from "#lib/store/brands.ts";
import { keys } from "#lib/store/keys.ts";
import { counted } from "../../support/counting.ts";
import { startTable } from "../../support/direct.ts";
import { givenBy } from "../../support/given.ts";

const test = startTable();

it("a producer's brands are listed and counted completely if they take more than one megabyte", async () => {
  const producer = randomUUID();
  const add = () => brands.add(test.table, { name: "🥃".repeat(120), producer_ids: [producer] }, givenBy());
  for (let n = 0; n < 1600; n += 50) await Promise.all(Array.from({ length: 50 }, add));

  const count = counted(test.client);
  expect(await brands.list(test.table, producer)).toHaveLength(1600);
  expect(await brands.countUnder(test.table, [producer])).toEqual(new Map([[producer, 1600]]));
  expect(count.take().calls).toEqual(["Query", "Query", "Query", "Query"]);
});

it("a brand of forty producers with a name of 120 letters is stored in items of one write unit each", async () => {
  const producer_ids = Array.from({ length: 40 }, () => randomUUID()).toSorted();
  const { id } = await brands.add(test.table, { name: "n".repeat(120), producer_ids }, givenBy());
  const items = await test.table.getAll([
    keys.brand(id),
    ...producer_ids.map((producer) => keys.brandOfProducer(producer, id)),
  ]);
  expect(items).toHaveLength(41);

  // Writes the items one by one, because the capacity that DynamoDB Local reports for a transaction is not that of its items.
  const count = counted(test.client);
  for (const Item of items) {
    await test.client.send(new PutCommand({ TableName: test.table.name, Item }));
    expect(count.take().units).toBe(1);
  }
});
