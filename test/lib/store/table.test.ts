import { describe, expect, it } from "vitest";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

const key = (n: number) => ({ pk: "BATCH", sk: String(n) });

describe("items by their keys", () => {
  it("come once, however often they are named and however many there are", async () => {
    for (let n = 0; n < 120; n += 60)
      await write(
        test.table,
        Array.from({ length: 60 }, (_, m) => ({ put: { ...key(n + m), n: n + m } })),
      );
    const keys = Array.from({ length: 250 }, (_, n) => key(n % 125));
    const found = await test.table.getAll(keys);
    expect(found.map(({ n }) => Number(n)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, n) => n));
  });

  it("are gone once they have expired, whether DynamoDB has deleted them or not", async () => {
    await write(test.table, [{ put: { ...key(500), expires_at: Math.floor(Date.now() / 1000) - 1 } }]);
    await write(test.table, [{ put: { ...key(501), expires_at: Math.floor(Date.now() / 1000) + 3600 } }]);
    expect(await test.table.get(key(500))).toBeUndefined();
    expect(await test.table.getAll([key(500), key(501)])).toHaveLength(1);
  });
});
