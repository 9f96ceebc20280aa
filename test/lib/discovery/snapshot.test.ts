import { beforeEach, describe, expect, it } from "vitest";
import { columnsOf, type Entry } from "#lib/discovery/columns.ts";
import { compact } from "#lib/discovery/compaction.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import * as snapshot from "#lib/discovery/snapshot.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import type { Reader } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { type GivenRow, rowOf, seeded, writeRow } from "../../support/listing.ts";
import { startLog } from "../../support/log.ts";

const test = startTable();
const log = startLog();

const least = { rows: 1, changes: 1 };
const all = { query: "", filter: "all", page: 1, per: 100 } as const;
const hour = 3_600_000;

const namesFrom = async (table: Reader, now: Date) =>
  (await directoryCache().refresh(table, now)).search(all).data.map(({ name }) => name);

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
  // Each test has days of its own, as they share a table. They are in the future, as expired items are not read.
  let now = new Date("2200-01-01T00:00:00.000Z");
  let given: GivenRow[];
  beforeEach(async () => {
    now = new Date(now.getTime() + 72 * hour);
    given = [];
    for (let id = 1; id <= 30; id++)
      given.push(await writeRow(test.table, rowOf({ id, name: `Club ${id}` }), now, given));
    await compact(test.table, now, least);
    log.clear();
  });

  const expected = () => given.map(({ row }) => row.name).toSorted();

  it("a new environment reads it and the rows that changed since", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) given[0] = await writeRow(test.table, { ...first.row, name: "Renamed" }, later, [first]);
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, later)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["tail"]);
    expect(log.lines()).toEqual([]);
  });

  it("is completed from its newest row on, although it lacks the time at which each row was written", async () => {
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
    expect((await namesFrom(watching, later)).toSorted()).toEqual(left);
    expect(read).toEqual([2]);
  });

  it("does not bring back a community that has left the directory", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) await writeRow(test.table, { ...first.row, is_listed: false }, later, [first]);
    expect((await namesFrom(test.table, later)).toSorted()).toEqual(expected().filter((name) => name !== "Club 1"));
  });

  const chunkKey = () => keys.snapshotChunk(now.getTime(), 0);
  const damage: [string, () => Promise<void>][] = [
    ["a chunk is missing", () => write(test.table, [{ delete: chunkKey() }])],
    ["a chunk is cut off", async () => damageChunk((bytes) => bytes.subarray(0, bytes.length >> 1))],
    [
      "a bit of a chunk has flipped",
      async () => damageChunk((bytes) => bytes.map((byte, n) => (n === 40 ? byte ^ 1 : byte))),
    ],
    ["a chunk is not compressed data", async () => damageChunk(() => Buffer.from("nothing that was compressed"))],
    ["it has a newer format", async () => damagePointer((item) => ({ ...item, format: 3 }))],
    ["its pointer is invalid", async () => damagePointer(() => ({ format: 2 }))],
    ["it has fewer rows than its pointer says", async () => damageNewest({ rows: 31 })],
    ["it has more rows than its pointer says", async () => damageNewest({ rows: 29 })],
    ["it has fewer names than its pointer says", async () => damageNewest({ name_bytes: 1000 })],
    ["it has more names than its pointer says", async () => damageNewest({ name_bytes: 10 })],
    ["its size exceeds any memory", async () => damageNewest({ name_bytes: 2 ** 40 })],
  ];
  async function damagePointer(harm: (item: Item) => Item): Promise<void> {
    await write(test.table, [{ put: { ...harm((await test.table.get(keys.snapshot())) ?? {}), ...keys.snapshot() } }]);
  }
  const damageNewest = (wrong: Item) =>
    damagePointer(({ snapshots, ...item }) => ({
      ...item,
      snapshots: (snapshots as Item[]).map((made, n) => (n === 0 ? { ...made, ...wrong } : made)),
    }));
  async function damageChunk(harm: (bytes: Uint8Array) => Uint8Array): Promise<void> {
    const item = await test.table.get(chunkKey());
    await write(test.table, [{ put: { ...item, ...chunkKey(), data: harm(item?.data as Uint8Array) } }]);
  }

  it.each(damage)("is replaced by the rows if %s, and the log says so", async (_, harm) => {
    await harm();
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, now)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["all rows"]);
    expect(log.lines()).toHaveLength(1);
  });

  it("is replaced by the previous snapshot if it is broken, and the log says so", async () => {
    const later = new Date(now.getTime() + hour);
    const [first] = given;
    if (first) given[0] = await writeRow(test.table, { ...first.row, name: "Renamed" }, later, [first]);
    await compact(test.table, later, least);
    log.clear();
    await write(test.table, [{ delete: keys.snapshotChunk(later.getTime(), 0) }]);
    const { table, queries } = watched(test.table);
    expect((await namesFrom(table, later)).toSorted()).toEqual(expected());
    expect(queries).toEqual(["tail"]);
    expect(log.lines()).toHaveLength(1);
  });

  it("serves until the next one is complete, even if that never happens", async () => {
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

  it("is replaced by the rows when it is older than their tombstones are kept", async () => {
    const { table, queries } = watched(test.table);
    await namesFrom(table, new Date(now.getTime() + 24 * hour));
    expect(queries).toEqual(["all rows"]);
    expect(log.lines()).toEqual([]);
  });

  it("does not count as broken if the table fails", async () => {
    const failing: Reader = { ...test.table, getAll: () => Promise.reject(new Error("down")) };
    await expect(namesFrom(failing, now)).rejects.toThrow("down");
  });

  it("is made anew only after enough changes or half of its maximum age", async () => {
    const many = { rows: 1, changes: 100 };
    expect(await compact(test.table, new Date(now.getTime() + hour), many)).toBe("still fresh");
    expect(await compact(test.table, new Date(now.getTime() + 12 * hour), many)).toBe("compacted");
  });

  it("is not made of few communities", async () => {
    expect(await compact(test.table, new Date(now.getTime() + 12 * hour))).toBe("too small");
  });

  it("expires 48 hours after it was made", async () => {
    const client = await test.table.query({ pk: chunkKey().pk });
    expect(client.items.map(({ expires_at }) => expires_at)).toEqual([now.getTime() / 1000 + 48 * 3600]);
  });
});

it("a snapshot that does not fit into one item is stored in several and read back unchanged", async () => {
  const random = seeded(8);
  const now = new Date("2201-01-01T00:00:00.000Z");
  const noise = () => Array.from({ length: 30 }, () => random.below(2 ** 32).toString(36)).join("");
  const entries = Array.from({ length: 3000 }, (_, n): Entry => {
    const row = rowOf({ id: n + 1, name: random.name(), avatar_url: noise(), member_count: random.below(9) });
    return { ...row, trend_score: random.pick([null, random.next()]), changed: n };
  });
  const columns = columnsOf(entries);
  await snapshot.add(test.table, columns, 0, now);
  const { items } = await test.table.query({ pk: keys.snapshotChunk(now.getTime(), 0).pk });
  expect(items.length).toBeGreaterThan(1);
  for (const { data } of items) expect((data as Uint8Array).length).toBeLessThanOrEqual(390 * 1024);
  const [info] = await snapshot.list(test.table, now);
  const { names, records, uuids, ...numbers } =
    (info && (await snapshot.reader(info).read(test.table))) ?? columnsOf([]);
  expect(numbers).toEqual({ ...columns, names: undefined, records: undefined, uuids: undefined });
  expect(names.ends).toEqual(columns.names.ends);
  const bytes = [names.bytes, records, uuids];
  expect(Buffer.concat(bytes)).toEqual(Buffer.concat([columns.names.bytes, columns.records, columns.uuids]));
});
