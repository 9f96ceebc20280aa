import { beforeEach, describe, expect, it } from "vitest";
import { type DirectoryCache, directoryCache } from "#lib/discovery/directory.ts";
import { Problem } from "#lib/problem.ts";
import type { Reader } from "#lib/store/table.ts";
import { startTable } from "../../support/direct.ts";
import { type GivenRow, rowOf, writeRow } from "../../support/listing.ts";

const test = startTable();

// Each test has its own hours, because the tests share a table. They are in the future, so that no item is expired.
let start = Date.parse("2200-01-01T00:00:00.000Z");
const at = (seconds: number) => new Date(start + seconds * 1000);

const write = (id: number, name: string, seconds: number, before: readonly GivenRow[] = []) =>
  writeRow(test.table, rowOf({ id, name: `${name} of ${start}` }), at(seconds), before);

/** An execution environment, with the number of rows that each of its queries has read. */
function environment() {
  const cache: DirectoryCache = directoryCache();
  const queries: number[] = [];
  const table: Reader = {
    ...test.table,
    query: async (input) => {
      const page = await test.table.query(input);
      queries.push(page.read);
      return page;
    },
  };
  return {
    queries,
    refresh: (seconds: number, through: Reader = table) => cache.refresh(through, at(seconds)),
    find: async (query: string, seconds: number) => {
      const directory = await cache.refresh(table, at(seconds));
      const { data } = directory.search({ query: `of ${start}`, filter: "all", page: 1, per: 100 });
      return data.map(({ name }) => name.replace(` of ${start}`, "")).filter((name) => name.startsWith(query));
    },
  };
}

describe("the tail of the directory", () => {
  let first: GivenRow;
  beforeEach(async () => {
    start += 10 * 3_600_000;
    first = await write(start, "Palenque", 0);
  });

  it("the tail of the directory is read at most once a second, so a change is found a second later", async () => {
    const { find, queries } = environment();
    expect(await find("Palenque", 100)).toEqual(["Palenque"]);
    queries.length = 0;
    await write(start, "Agave House", 100.1, [first]);
    for (const seconds of [100.1, 100.5, 100.9]) await find("Palenque", seconds);
    expect(queries).toEqual([]);
    expect(await find("Agave", 101)).toEqual(["Agave House"]);
    expect(queries).toHaveLength(1);
  });

  it("the tail of the directory is read again by an environment whose clock has gone back", async () => {
    const { find } = environment();
    await find("Palenque", 4000);
    await write(start, "Agave House", 60, [first]);
    expect(await find("Agave", 60)).toEqual(["Agave House"]);
  });

  it("a row that appears 59 s after the time in its key, by a clock that is 10 s behind, is found within 30 s", async () => {
    const { find } = environment();
    await find("Palenque", 100);
    for (let seconds = 100; seconds < 160; seconds += 5) {
      await write(start + seconds, "Other", seconds);
      await find("Palenque", seconds);
    }
    await write(start, "Agave House", 160 - 69, [first]);
    for (let seconds = 160; seconds < 190; seconds += 5) {
      await write(start + seconds, "Other", seconds);
      await find("Agave", seconds);
    }
    expect(await find("Agave", 190)).toEqual(["Agave House"]);
  });

  it("a late row is found even if a failed read waited half a minute for another request", async () => {
    const { find, refresh } = environment();
    await find("Palenque", 100);
    await write(start + 1, "Newer", 104);
    expect(await find("Newer", 105)).toEqual(["Newer"]);
    const query = () => Promise.reject(new Problem("timeout", { headers: { "retry-after": "1" } }));
    await expect(refresh(110, { ...test.table, query })).rejects.toMatchObject({ code: "unavailable" });
    await write(start + 2, "Late", 102);
    expect(await find("Late", 140)).toEqual(["Late"]);
  });

  it("after an hour without changes, rows from before that hour are not read again", async () => {
    const { find, queries } = environment();
    await find("Palenque", 100);
    for (let n = 1; n <= 50; n++) await write(start + n, "Burst", 101);
    expect(await find("Burst", 102)).toHaveLength(50);
    await find("Burst", 3600);
    queries.length = 0;
    for (let seconds = 3601; seconds < 3640; seconds++) await find("Burst", seconds);
    expect(Math.max(...queries)).toBeLessThanOrEqual(1);
  });

  it("the tail of the directory is read in pages, and a request that ends early keeps the pages it has read", async () => {
    const { find, refresh } = environment();
    await find("Palenque", 100);
    for (let n = 1; n <= 40; n++) await write(start + n, `Burst ${n}`, 200 + n);
    const asked: (string | undefined)[] = [];
    const inTime = (roundTrips: number): Reader => {
      let left = roundTrips;
      return {
        ...test.table,
        query: async (input) => {
          if (left-- <= 0) throw new Problem("timeout", { headers: { "retry-after": "1" } });
          asked.push(input.after?.sk);
          return test.table.query({ ...input, limit: 10 });
        },
      };
    };
    for (let tried = 1; tried <= 3; tried++)
      await expect(refresh(300 + tried, inTime(1))).rejects.toMatchObject({ code: "unavailable" });
    await refresh(304, inTime(2));
    expect(new Set(asked).size).toBe(asked.length);
    expect(await find("Burst", 305)).toHaveLength(40);
  });

  it("a page of the tail takes an environment at most 50 ms", async () => {
    const { refresh } = environment();
    const limits: (number | undefined)[] = [];
    await refresh(100);
    await refresh(200, {
      ...test.table,
      query: (input) => {
        limits.push(input.limit);
        return test.table.query(input);
      },
    });
    expect(limits).toEqual([500]);
  });
});
