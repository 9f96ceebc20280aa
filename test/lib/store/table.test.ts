import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

const key = (n: number) => ({ pk: "BATCH", sk: String(n) });

describe("items by their keys", () => {
  it("getAll returns each item once for any number of keys, including duplicates", async () => {
    for (let n = 0; n < 120; n += 60)
      await write(
        test.table,
        Array.from({ length: 60 }, (_, m) => ({ put: { ...key(n + m), n: n + m } })),
      );
    const keys = Array.from({ length: 250 }, (_, n) => key(n % 125));
    const found = await test.table.getAll(keys);
    expect(found.map(({ n }) => Number(n)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, n) => n));
  });

  it("expired items are not returned, whether or not DynamoDB has deleted them", async () => {
    await write(test.table, [{ put: { ...key(500), expires_at: Math.floor(Date.now() / 1000) - 1 } }]);
    await write(test.table, [{ put: { ...key(501), expires_at: Math.floor(Date.now() / 1000) + 3600 } }]);
    expect(await test.table.get(key(500))).toBeUndefined();
    expect(await test.table.getAll([key(500), key(501)])).toHaveLength(1);
  });
});

describe("items that a batch leaves unprocessed", () => {
  const keys = Array.from({ length: 10 }, (_, n) => key(n));

  /** A table that returns at most a number of items per batch, with the waits of its client. */
  function throttled(most: number) {
    const waits: number[] = [];
    const client = {
      async send({ input }: { input: { RequestItems: { t: { Keys: (typeof keys)[number][] } } } }) {
        const { Keys } = input.RequestItems.t;
        return { Responses: { t: Keys.slice(0, most) }, UnprocessedKeys: { t: { Keys: Keys.slice(most) } } };
      },
    };
    const runtime = { ...machine, random: () => 1, wait: async (ms: number) => void waits.push(ms) };
    return { table: connect(client as never, "t", runtime)(), waits };
  }

  it("unprocessed items of a batch are requested again, each time after a wait", async () => {
    const { table, waits } = throttled(4);
    expect(await table.getAll(keys)).toEqual(keys);
    expect(waits).toEqual([20, 20]);
  });

  it("a batch whose items stay unprocessed throws 503 unavailable after growing waits", async () => {
    const { table, waits } = throttled(0);
    await expect(table.getAll(keys)).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
    expect(waits).toEqual([20, 40, 80, 160, 320]);
  });
});

/** The files of lib and functions that contain a text, by their paths. */
const containing = (text: RegExp): string[] =>
  globSync("{lib,functions}/**/*.ts")
    .filter((file) => text.test(readFileSync(file, "utf8")))
    .toSorted();

it("only the tail of the directory is read with eventual consistency, and only the table module reads items", () => {
  // A request reads rows that are up to a second old anyway.
  expect(containing(/\beventually\b/)).toEqual(["lib/discovery/rows.ts", "lib/store/table.ts"]);
  // Scans are for operators: IAM refuses them to functions.
  expect(containing(/\b(Get|BatchGet|Query|TransactGet|Scan)Command\b/)).toEqual([
    "lib/store/scan.ts",
    "lib/store/table.ts",
  ]);
});
