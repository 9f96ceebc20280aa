import { beforeEach, describe, expect, it } from "vitest";
import { columnsOf, type Entry } from "#lib/discovery/columns.ts";
import { compact } from "#lib/discovery/compaction.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import * as snapshot from "#lib/discovery/snapshot.ts";
import { Problem } from "#lib/problem.ts";
import { type DirectoryRow, moveRow } from "#lib/store/directory-rows.ts";
import type { Item } from "#lib/store/expression.ts";
import { Conflict } from "#lib/store/failure.ts";
import { keys } from "#lib/store/keys.ts";
import type { Objects } from "#lib/store/objects.ts";
import type { Reader } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { type GivenRow, rowOf, seeded, writeRow } from "../../support/listing.ts";
import { startLog } from "../../support/log.ts";
import { memoryBucket } from "../../support/objects.ts";

const test = startTable();
const log = startLog();

const bucket = memoryBucket({ pieceBytes: 100 });
const least = { objects: bucket, rows: 1, changes: () => 0 };
const all = { query: "", filter: "all", page: 1, per: 100 } as const;
const hour = 3_600_000;

const namesFrom = async (table: Reader, now: Date) =>
  (await directoryCache(bucket).refresh(table, now)).search(all).data.map(({ name }) => name);

/** A table whose queries of rows are counted. */
function watched(table: Reader) {
  const queries: string[] = [];
  const watching: Reader = {
    ...table,
    query: (input) => {
      queries.push(input.from === undefined ? "all rows" : "tail");
      return table.query(input);
    },
  };
  return { table: watching, queries };
}

describe("a snapshot of the directory", () => {
  // Each test has its own days, because the tests share a table. They are in the future, so that no item is expired.
  let now = new Date("2200-01-01T00:00:00.000Z");
  let given: GivenRow[];
  beforeEach(async () => {
    now = new Date(now.getTime() + 72 * hour);
    given = [];
    for (let id = 1; id <= 30; id++)
      given.push(await writeRow(test.table, rowOf({ id, name: `Club ${id}` }), new Date(now.getTime() - hour), given));
    await compact(test.table, now, least);
    log.clear();
  });

  const expected = () => given.map(({ row }) => row.name).toSorted();

  it("a new environment reads the snapshot, and the rows that changed after it", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) given[0] = await writeRow(test.table, { ...first.row, name: "Renamed" }, later, [first]);
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, later)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["tail"]);
    expect(log.lines()).toEqual([]);
  });

  it("a snapshot is updated with changed rows, although it does not store when its own rows were written", async () => {
    const later = new Date(now.getTime() + hour);
    const [first, second] = given;
    if (first) given[0] = await writeRow(test.table, { ...first.row, is_listed: false }, later, [first]);
    await compact(test.table, later, least);
    if (second) given[1] = await writeRow(test.table, { ...second.row, name: "Renamed" }, later, [second]);
    const read: number[] = [];
    const watching: Reader = {
      ...test.table,
      query: async (input) => {
        const found = await test.table.query(input);
        read.push(found.read);
        return found;
      },
    };
    const left = expected().filter((name) => name !== first?.row.name);
    const soon = new Date(later.getTime() + 1000);
    expect((await namesFrom(watching, soon)).toSorted()).toEqual(left);
    expect(read).toEqual([2]);
  });

  it("a snapshot does not restore a community that has left the directory", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) await writeRow(test.table, { ...first.row, is_listed: false }, later, [first]);
    expect((await namesFrom(test.table, later)).toSorted()).toEqual(expected().filter((name) => name !== "Club 1"));
  });

  const newest = async (): Promise<snapshot.SnapshotInfo> => {
    const [info] = await snapshot.list(test.table, now);
    if (!info) throw new Error("There is no snapshot");
    return info;
  };
  const damage: [string, () => Promise<unknown>][] = [
    ["its object is missing", async () => bucket.delete((await newest()).key)],
    ["its object is empty", () => damageObject((bytes) => bytes.subarray(0, 0))],
    ["its object is cut off", () => damageObject((bytes) => bytes.subarray(0, bytes.length >> 1))],
    ["something follows its object", () => damageObject((bytes) => Buffer.concat([bytes, bytes]))],
    [
      "a bit of its object has flipped",
      () => damageObject((bytes) => bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte))),
    ],
    ["its object is not compressed data", () => damageObject(() => Buffer.from("\x09\0\0\0not zstd."))],
    ["it has a newer format", () => damagePointer((item) => ({ ...item, format: 5 }))],
    ["it has an older format", () => damagePointer((item) => ({ ...item, format: 3 }))],
    ["its pointer is invalid", () => damagePointer(() => ({ format: 4 }))],
    ["it has fewer rows than its pointer says", () => damageNewest({ rows: 31 })],
    ["it has more rows than its pointer says", () => damageNewest({ rows: 29 })],
    ["it has fewer names than its pointer says", () => damageNewest({ name_bytes: 1000 })],
    ["it has more names than its pointer says", () => damageNewest({ name_bytes: 10 })],
    ["its size exceeds any memory", () => damageNewest({ name_bytes: 2 ** 40 })],
  ];
  async function damagePointer(harm: (item: Item) => Item): Promise<void> {
    await write(test.table, [{ put: { ...harm((await test.table.get(keys.snapshot())) ?? {}), ...keys.snapshot() } }]);
  }
  const damageNewest = (wrong: Item) =>
    damagePointer(({ snapshots, ...item }) => ({
      ...item,
      snapshots: (snapshots as Item[]).map((made, n) => (n === 0 ? { ...made, ...wrong } : made)),
    }));
  async function damageObject(harm: (bytes: Uint8Array) => Uint8Array): Promise<void> {
    const { key } = await newest();
    bucket.stored.set(key, harm(bucket.stored.get(key) ?? new Uint8Array()));
  }

  it.each(damage)("the rows are read instead of a snapshot, and a log line is written, if %s", async (_, harm) => {
    await harm();
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, now)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["all rows"]);
    expect(log.lines()).toHaveLength(1);
  });

  it("a broken snapshot is replaced by the previous one, and a log line is written", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) given[0] = await writeRow(test.table, { ...first.row, name: "Renamed" }, later, [first]);
    await compact(test.table, later, least);
    log.clear();
    await bucket.delete((await newest()).key);
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, later)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["tail"]);
    expect(log.lines()).toHaveLength(1);
  });

  it("a snapshot is used until the next one is complete, even if a run that stores one is killed", async () => {
    const later = new Date(now.getTime() + hour);
    test.client.middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          commandName === "PutItemCommand" && JSON.stringify(args.input).includes("POINTER")
            ? Promise.reject(new Error("killed"))
            : next(args),
      { step: "initialize", name: "kill" },
    );
    await expect(compact(test.table, later, least)).rejects.toThrow("killed");
    test.client.middlewareStack.remove("kill");
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, later)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["tail"]);
  });

  it("a snapshot that is older than 24 hours is replaced by the rows", async () => {
    const { table, queries } = watched(test.table);
    await namesFrom(table, new Date(now.getTime() + 24 * hour));
    expect(queries).toEqual(["all rows"]);
    expect(log.lines()).toEqual([]);
  });

  it("a snapshot does not count as broken if the table or S3 fails", async () => {
    const failing: Reader = { ...test.table, get: () => Promise.reject(new Error("down")) };
    await expect(namesFrom(failing, now)).rejects.toThrow("down");
    const cache = directoryCache({ ...bucket, read: () => Promise.reject(new Problem("unavailable")) });
    await expect(cache.refresh(test.table, now)).rejects.toMatchObject({ code: "unavailable" });
    expect(log.lines()).toEqual([]);
  });

  it("a newer snapshot is loaded by an environment that has missed too many changes", async () => {
    const cache = directoryCache(bucket);
    const later = new Date(now.getTime() + hour);
    await cache.refresh(test.table, now);
    const queries: number[] = [];
    const table: Reader = {
      ...test.table,
      async query(input) {
        const page = await test.table.query(input);
        queries.push(page.read);
        return page;
      },
    };
    const many = Array.from({ length: 6000 }, (_, n) => rowOf({ id: 1000 + n, name: `Many ${n}` }));
    await putRows(many, later);
    await compact(test.table, new Date(later.getTime() + hour), least);
    const directory = await cache.refresh(table, new Date(later.getTime() + 2 * hour));
    expect(directory.search({ ...all, query: "many" }).total).toBe(6000);
    // Five pages of the tail, until reading on would take longer than loading the snapshot.
    expect(queries.filter((read) => read > 0)).toEqual([500, 500, 500, 500, 500]);
  });

  it("a snapshot is not loaded again by an environment that has missed many changes if there is no newer one", async () => {
    const cache = directoryCache(bucket);
    const later = new Date(now.getTime() + hour);
    await cache.refresh(test.table, now);
    await putRows(
      Array.from({ length: 3000 }, (_, n) => rowOf({ id: 10_000 + n, name: `More ${n}` })),
      later,
    );
    const reads: string[] = [];
    const table: Reader = {
      ...test.table,
      async get(key) {
        reads.push(key.sk);
        return test.table.get(key);
      },
    };
    const directory = await cache.refresh(table, new Date(later.getTime() + hour));
    expect(directory.search({ ...all, query: "more" }).total).toBe(3000);
    expect(reads).toEqual(["POINTER"]);
  });

  it("a new snapshot is stored only after enough changes, or after half of the maximum age", async () => {
    const many = { ...least, changes: () => 100 };
    expect(await compact(test.table, new Date(now.getTime() + hour), many)).toBe("still fresh");
    expect(await compact(test.table, new Date(now.getTime() + 12 * hour), many)).toBe("compacted");
  });

  it("no snapshot is stored of a directory with few communities", async () => {
    expect(await compact(test.table, new Date(now.getTime() + 12 * hour))).toBe("too small");
  });

  it("a snapshot is deleted when there are two newer ones", async () => {
    const first = (await newest()).key;
    await compact(test.table, new Date(now.getTime() + hour), least);
    expect(bucket.stored.has(first)).toBe(true);
    await compact(test.table, new Date(now.getTime() + 2 * hour), least);
    expect(bucket.stored.has(first)).toBe(false);
    const snapshots = await snapshot.list(test.table, now);
    expect(snapshots.map(({ key }) => bucket.stored.has(key))).toEqual([true, true]);
  });

  it("a snapshot does not replace the newer snapshot of a faster run", async () => {
    const slow = {
      ...bucket,
      async put(key: string, body: Uint8Array) {
        await bucket.put(key, body);
        await compact(test.table, new Date(now.getTime() + hour), least);
      },
    };
    await expect(compact(test.table, new Date(now.getTime() + hour), { ...least, objects: slow })).rejects.toThrow(
      Conflict,
    );
    const snapshots = await snapshot.list(test.table, now);
    expect(snapshots.map(({ key }) => bucket.stored.has(key))).toEqual([true, true]);
  });
});

it("a snapshot of several frames is read back unchanged, even if each call ends before the next piece", async () => {
  const random = seeded(8);
  const now = new Date("2201-01-01T00:00:00.000Z");
  const noise = () => Array.from({ length: 30 }, () => random.below(2 ** 32).toString(36)).join("");
  const entries = Array.from({ length: 12_000 }, (_, n): Entry => {
    const row = rowOf({ id: n + 1, name: random.name(), avatar_url: noise(), member_count: random.below(9) });
    return { ...row, trend_score: random.pick([null, random.next()]), changed: n };
  });
  const columns = columnsOf(entries);
  expect(columns.names.image.length).toBeGreaterThan(3 * 1024 * 1024);
  await snapshot.add({ table: test.table, objects: bucket }, columns, [], now.getTime());
  const [info] = await snapshot.list(test.table, now);
  if (!info) throw new Error("There is no snapshot");

  const starts: number[] = [];
  const object = bucket.stored.get(info.key) ?? new Uint8Array();
  const interrupted: Objects = {
    ...bucket,
    async read(_key, from, take) {
      starts.push(from);
      take(object.subarray(from, from + 300_000));
      if (from + 300_000 < object.length) throw new Problem("unavailable");
    },
  };
  const reader = snapshot.reader(info);
  let read: Awaited<ReturnType<typeof reader.read>>;
  while (!read) read = await reader.read(interrupted).catch(() => undefined);
  expect(starts).toEqual(Array.from({ length: Math.ceil(object.length / 300_000) }, (_, n) => n * 300_000));
  expect(Buffer.compare(read.names.image, columns.names.image)).toBe(0);
  const { names, ...numbers } = read;
  const { names: namesThen, ...numbersThen } = columns;
  expect(numbers).toEqual(numbersThen);
  expect(names.bytes.equals(namesThen.bytes) && names.ends.join() === namesThen.ends.join()).toBe(true);
});

/** Puts rows of communities that had none, faster than one by one. */
async function putRows(rows: readonly DirectoryRow[], now: Date): Promise<void> {
  const puts = rows.flatMap((row) => moveRow(undefined, row, now));
  for (let at = 0; at < puts.length; at += 100) await write(test.table, puts.slice(at, at + 100));
}
