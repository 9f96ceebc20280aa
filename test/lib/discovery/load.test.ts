import { beforeEach, describe, expect, it } from "vitest";
import { compact } from "#lib/discovery/compaction.ts";
import { type Directory, directoryCache } from "#lib/discovery/directory.ts";
import { Problem } from "#lib/problem.ts";
import type { IndexReader } from "#lib/store/table.ts";
import { exploring } from "../../../functions/discovery/explore.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { rowOf, writeRow } from "../../support/listing.ts";
import { memoryBucket } from "../../support/objects.ts";

const test = startTable();
const now = new Date("2200-01-01T00:00:00.000Z");

/** The table in a request whose time runs out after a number of round trips, with ten rows per round trip. */
function inTime(roundTrips: number, asked: string[] = []): IndexReader {
  let left = roundTrips;
  const count = (what: string): void => {
    if (left-- <= 0) throw new Problem("timeout", { headers: { "retry-after": "1" } });
    asked.push(what);
  };
  return {
    ...test.table,
    get: async (key) => {
      count(key.sk);
      return test.table.get(key);
    },
    query: async (input) => {
      count(`rows after ${input.after?.sk.slice(-2) ?? "none"}`);
      return test.table.query({ ...input, limit: 10 });
    },
  };
}

const totalOf = (directory: Directory) => directory.search({ query: "", filter: "all", page: 1, per: 1 }).total;

describe("a directory that takes longer to load than a request has", () => {
  beforeEach(async () => {
    for (let id = 11; id <= 45; id++) await writeRow(test.table, rowOf({ id }), now);
  });

  it("a slow load of the directory is continued by several requests", async () => {
    const cache = directoryCache();
    const asked: string[] = [];
    const refresh = (roundTrips: number) => cache.refresh(inTime(roundTrips, asked), now);
    await expect(refresh(2)).rejects.toMatchObject({ code: "unavailable" });
    await expect(refresh(2)).rejects.toMatchObject({ code: "unavailable" });
    expect(totalOf(await refresh(2))).toBe(35);
    expect(asked).toEqual(["POINTER", "rows after none", "rows after 20", "rows after 30", "rows after 40"]);
  });

  it("a directory is loaded again if rows that changed since the last read may have been deleted", async () => {
    const cache = directoryCache();
    const asked: string[] = [];
    await expect(cache.refresh(inTime(2), now)).rejects.toMatchObject({ code: "unavailable" });
    await cache.refresh(inTime(9, asked), new Date(now.getTime() + 24 * 3_600_000));
    expect(asked.slice(0, 2)).toEqual(["POINTER", "rows after none"]);
  });

  it("a request whose directory takes too long to load gets 503 with Retry-After, and the next request gets 200", async () => {
    const environment = exploring(directoryCache());
    const ask = (roundTrips: number) =>
      invoke(
        environment,
        test.platform({ table: () => ({ ...test.table, ...inTime(roundTrips) }), now: () => now }),
        {},
      );
    expect(await ask(2)).toMatchObject({ status: 503, headers: { "retry-after": "1" }, body: { code: "unavailable" } });
    expect(await ask(9)).toMatchObject({ status: 200, body: { total: 35 } });
  });

  it("a resumed load of the directory does not read bytes of a snapshot twice", async () => {
    const bucket = memoryBucket({ pieceBytes: 100 });
    await compact(test.table, now, { objects: bucket, rows: 1, changes: () => 0 });
    const starts: number[] = [];
    let isCut = true;
    const cache = directoryCache({
      ...bucket,
      async read(key, from, take, signal) {
        starts.push(from);
        await bucket.read(key, from, (piece) => {
          if (isCut && from + 300 <= pieces * 100) throw new Problem("timeout");
          pieces++;
          take(piece);
        });
        signal?.throwIfAborted();
      },
    });
    let pieces = 0;
    const asked: string[] = [];
    await expect(cache.refresh(inTime(9, asked), now)).rejects.toMatchObject({ code: "unavailable" });
    isCut = false;
    expect(totalOf(await cache.refresh(inTime(9, asked), now))).toBe(35);
    expect(starts).toEqual([0, 300]);
    expect(asked.filter((what) => !what.startsWith("rows"))).toEqual(["POINTER"]);
  });
});
