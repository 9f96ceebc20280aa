import { beforeEach, describe, expect, it } from "vitest";
import { dayOf, daysAfter } from "#lib/domain/period.ts";
import { consume } from "#lib/projections/consume.ts";
import { type RebuildContext, rebuild } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import * as communities from "#lib/store/communities.ts";
import { keyOf } from "#lib/store/directory-rows.ts";
import { keys } from "#lib/store/keys.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { communityIds } from "#lib/store/scan.ts";
import { readSums } from "#lib/store/series.ts";
import type { Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { deliver } from "../../../tools/local/streams/deliver.ts";
import { openStream } from "../../../tools/local/streams/reader.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { rebuildAll } from "../../../tools/scripts/rebuild-all.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";

const test = startTable({ stream: true });
const now = () => new Date();
const letIn = { first_granted_at: new Date().toISOString() };

const read = new Map<string, string>();

/** Reads what is new in the table's own stream, shard by shard. */
async function readStream(): Promise<StreamRecords[]> {
  const stream = await openStream(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "", test.table.name);
  const shards: StreamRecords[] = [];
  for (const shard of await stream.shards()) {
    const records = await stream.read(shard, read.get(shard));
    const last = records.at(-1)?.dynamodb.SequenceNumber;
    if (last !== undefined) read.set(shard, last);
    shards.push(records);
  }
  return shards;
}
type StreamRecords = Awaited<ReturnType<Awaited<ReturnType<typeof openStream>>["read"]>>;

/** Makes the projections count all records of the table's stream. */
async function countAll(): Promise<void> {
  for (const records of await readStream()) {
    await deliver(records, async ({ Records }) => {
      const { failed } = await consume(test.table, Records, now());
      return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })) };
    });
  }
}

let counting = Promise.resolve();
/** Like Lambda, which reads a shard once at a time: the next call begins after the one before. */
const comeOn = (): Promise<void> => {
  counting = counting.then(countAll, countAll);
  return counting;
};

const world = (over: Partial<RebuildContext> = {}): RebuildContext => ({
  table: test.table,
  now,
  pause: comeOn,
  ...over,
});

/** All communities of this file, and so of its table. */
const made: number[] = [];

async function another(): Promise<GivenCommunity> {
  const given = await aCommunity(test.table);
  made.push(given.id);
  return given;
}

let community: GivenCommunity;
beforeEach(async () => {
  community = await another();
  for (let n = 0; n < 3; n++) await aMember(test.table, community, letIn);
  await comeOn();
});

const spoil = (key: typeof keys.stats) =>
  write(test.table, [
    { update: key(community.id), set: { members: { "active/1/open": 7 }, joiners: 9 }, when: "exists" },
  ]);
/** Queries of the table, each after an action of somebody else. */
const busy =
  (act: () => Promise<void>): typeof test.table.query =>
  async (input) => {
    await act();
    return test.table.query(input);
  };
const figures = async () => (await communities.open(test.table, community.id)).figures;

/** A context whose clock differs by a number of seconds. */
const worldAt = (seconds: number) => world({ now: () => new Date(Date.now() + seconds * 1000) });

describe("a change that was set aside", () => {
  let setAside: StreamRecords;
  const redrive = () => consume(test.table, setAside, now(), { isRedriven: true });
  const total = async () => Object.values((await figures())?.members ?? {}).reduce((sum, count) => sum + count, 0);

  beforeEach(async () => {
    await aMember(test.table, community, letIn);
    setAside = (await readStream()).flat();
  });

  it("a redrive does not count a change again that a rebuild has counted", async () => {
    expect(await total()).toBe(3);
    expect(await rebuild(worldAt(60), community.id)).toContain("joiners is 3, not 4");
    expect(await redrive()).toEqual({ failed: [], unreadable: [] });
    expect([await total(), (await figures())?.joiners]).toEqual([4, 4]);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a redrive counts a change that was made after the last rebuild", async () => {
    await spoil(keys.stats);
    await rebuild(worldAt(60), community.id);
    await aMember(test.table, community, letIn);
    setAside = (await readStream()).flat().map((record) => {
      const ApproximateCreationDateTime = Date.now() / 1000 + 120;
      return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } };
    });
    expect(await redrive()).toEqual({ failed: [], unreadable: [] });
    expect(await total()).toBe(5);
  });

  it("a redrive fails for a change that was made during a rebuild, until the next rebuild has counted it", async () => {
    const changedAt = new Date(Number(setAside[0]?.dynamodb.ApproximateCreationDateTime) * 1000);
    await rebuild(world({ now: () => changedAt }), community.id);
    expect((await redrive()).failed).not.toEqual([]);
    expect(await total()).toBe(4);

    expect(await rebuild(worldAt(60), community.id)).toEqual([]);
    expect(await redrive()).toEqual({ failed: [], unreadable: [] });
    expect(await total()).toBe(4);
  });
});

describe("a rebuild", () => {
  it("a rebuild finds no differences in figures that were counted from the stream", async () => {
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild reports and corrects differences, and a second one finds none", async () => {
    const right = await figures();
    await spoil(keys.stats);
    const wrong = [
      "members active/1/open is 7, not 0",
      `members active/${community.tier.id}/open is 0, not 3`,
      "joiners is 9, not 3",
    ];
    expect(await rebuild(world({ isDryRun: true }), community.id)).toEqual(wrong);
    expect(await rebuild(world(), community.id)).toEqual(wrong);
    expect(await figures()).toEqual(right);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild corrects any number of wrong and missing sums of days and months", async () => {
    // More than the 100 writes of a transaction.
    const days = Array.from({ length: 130 }, (_, n) => daysAfter("2026-01-01", n));
    const paid_cents_by_day = Object.fromEntries(days.map((day) => [day, 2_500]));
    await aMember(test.table, community, { paid_cents_by_day });
    await comeOn();
    const right = await readSums(test.table, community.id);
    for (const day of days) expect(right.days).toHaveProperty([day], { paid_cents: 2_500 });
    expect(right.months).toMatchObject({
      "2026-01": { paid_cents: 31 * 2_500 },
      "2026-02": { paid_cents: 28 * 2_500 },
    });
    expect(right.days[dayOf(now())]).toEqual({ joined: 4 });
    expect(await rebuild(world(), community.id)).toEqual([]);

    await write(test.table, [
      { delete: keys.sums(community.id, dayOf(now())) },
      { put: { ...keys.sums(community.id, "2026-02"), paid_cents: 1, left: 2 } },
      { put: { ...keys.sums(community.id, "2025-02-03"), churned_cents: -1 } },
    ]);
    const wrong = [
      "churned_cents 2025-02-03 is -1, not 0",
      `joined ${dayOf(now())} is 0, not 4`,
      "left 2026-02 is 2, not 0",
      "paid_cents 2026-02 is 1, not 70000",
    ];
    expect(await rebuild(world({ isDryRun: true }), community.id)).toEqual(wrong);
    expect(await rebuild(world(), community.id)).toEqual(wrong);
    expect(await readSums(test.table, community.id)).toEqual(right);

    const all = [...Object.keys(right.days), ...Object.keys(right.months)];
    for (let n = 0; n < all.length; n += 100)
      await write(
        test.table,
        all.slice(n, n + 100).map((on) => ({ delete: keys.sums(community.id, on) })),
      );
    expect((await rebuild(world(), community.id)).length).toBeGreaterThan(130);
    expect(await readSums(test.table, community.id)).toEqual(right);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild finds no differences after the backfill of members whom an earlier version did not count by day", async () => {
    const on = "2026-03-03";
    const of = { charge_id: "ch_1", reason: "unspecified", note: null, issued_by: null, status: "succeeded" } as const;
    const refunds = [{ ...of, refund_id: "re_1", amount_cents: 500, issued_at: `${on}T09:00:00.000Z` }];
    const earlier = {
      monthly_cents: 900,
      refunds,
      older_refunds_cents: { "2026-02-02": 40 },
      recorded_since: undefined,
    };
    const { id } = await aMember(test.table, community, earlier);
    await comeOn();
    const { pk, sk } = keys.movement(community.id, id, "", 0);
    const movements = await queryAll(test.table, { pk, prefix: sk.slice(0, -2) });
    const { days, months } = await readSums(test.table, community.id);
    await write(test.table, [
      ...movements.map((one) => ({ delete: { pk, sk: String(one.sk) } })),
      ...["2026-02-02", "2026-02", on, "2026-03"].map((one) => ({ delete: keys.sums(community.id, one) })),
    ]);
    await comeOn();
    expect([days, months].map((sums) => Object.keys(sums).length)).not.toContain(0);

    await migrate(test.table, { isDryRun: false, onProgress() {} });
    await comeOn();
    expect(await rebuild(world(), community.id)).toEqual([]);
    expect((await readSums(test.table, community.id)).days).toMatchObject({
      "2026-02-02": { refunded_cents: 40 },
      [on]: { refunded_cents: 500 },
    });
  });

  it("a rebuild creates missing figures and a missing directory row", async () => {
    const right = await figures();
    const { directory_key } = (await test.table.get(keys.community(community.id))) ?? {};
    await write(test.table, [{ delete: keys.stats(community.id) }, { delete: keyOf(String(directory_key)) }]);
    expect(await rebuild(world(), community.id)).toContain("the directory row is missing");
    expect(await figures()).toEqual(right);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild counts changes that are still in the stream correctly", async () => {
    await aMember(test.table, community, letIn);
    expect(await rebuild(world(), community.id)).toEqual([]);
    expect((await figures())?.joiners).toBe(4);
  });

  it("a rebuild counts a member who joins during the rebuild only once", async () => {
    await spoil(keys.stats);
    let joining = 3;
    const pause = async () => {
      if (joining-- > 0) await aMember(test.table, community, letIn);
      await comeOn();
      if (joining-- > 0) await aMember(test.table, community, letIn);
    };
    expect(await rebuild(world({ pause }), community.id)).not.toEqual([]);
    await comeOn();
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild ends with exact figures although members join at each of its steps", async () => {
    await spoil(keys.stats);
    let joined = 0;
    const join = async () => {
      joined++;
      await aMember(test.table, community, letIn);
    };
    const pause = async () => {
      await join();
      await comeOn();
      await join();
    };
    // A join before each query, including the pages of the count.
    const table = { ...test.table, query: busy(join) };
    expect(await rebuild(world({ table, pause }), community.id)).toContain("members active/1/open is 7, not 0");
    await comeOn();
    expect(joined).toBeGreaterThan(5);
    expect((await figures())?.members).toEqual({ [`active/${community.tier.id}/open`]: 3 + joined });
    expect((await figures())?.joiners).toBe(3 + joined);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("a rebuild fails if the projections make no progress", async () => {
    await spoil(keys.stats);
    await expect(rebuild(world({ pause: async () => {} }), community.id)).rejects.toThrow("make no progress");
  });

  it("a rebuild does not write figures after a later rebuild of the community has begun", async () => {
    await spoil(keys.stats);
    let pauses = 0;
    const pause = async () => {
      await comeOn();
      if (++pauses !== 2) return;
      await rebuild(world(), community.id);
      await aMember(test.table, community, letIn);
      await comeOn();
    };
    await expect(rebuild(world({ pause }), community.id)).rejects.toThrow("Another rebuild");
    expect((await figures())?.joiners).toBe(4);
  });

  it("a rebuild removes directory rows that belong to no community", async () => {
    const { directory_key } = (await test.table.get(keys.community(community.id))) ?? {};
    const row = await test.table.get(keyOf(String(directory_key)));
    const stray = keys.directoryRow(1, community.id);
    await write(test.table, [{ put: { ...row, ...stray } }]);
    const wrong = [`community ${community.id} does not know its directory row ${stray.sk}`];
    expect(await removeStrays(test.table, { isDryRun: true })).toEqual(wrong);
    expect(await removeStrays(test.table)).toEqual(wrong);
    expect(await removeStrays(test.table)).toEqual([]);
  });

  it("a rebuild of all communities reports its progress and the differences of each community", async () => {
    const other = await another();
    await comeOn();
    await rebuildAll(world(), { onProgress() {}, onWrong() {} });
    await spoil(keys.stats);
    const progress: string[] = [];
    const lines: string[] = [];
    const report = {
      onProgress: (...all: number[]) => void progress.push(all.join("/")),
      onWrong: (line: string) => void lines.push(line),
    };
    const outcome = await rebuildAll(world(), report);
    expect(made).toContain(other.id);
    expect(outcome).toEqual({ communities: made.length, before: 0, wrong: 3, failed: 0 });
    expect(progress).toHaveLength(made.length);
    expect(progress.at(-1)).toBe(`${made.length}/${made.length}/3`);
    expect(lines).toContain(`community ${community.id}: joiners is 9, not 3`);
    expect(await rebuildAll(world(), report)).toEqual({
      communities: made.length,
      before: 0,
      wrong: 0,
      failed: 0,
    });
  });

  it("a rebuild of all communities does not mistake items with the same sort key for communities", async () => {
    expect(await communityIds(test.table)).toEqual(made.toSorted((a, b) => a - b));
  });

  /** A rebuild of all communities that is interrupted after the fifth. */
  async function interrupted(context: RebuildContext): Promise<void> {
    const killed = new Error("killed");
    // Four rebuilds run in parallel. Each of them comes to its end.
    const ended = Promise.withResolvers<void>();
    let running = 4;
    const onProgress = (done: number) => {
      if (done < 5) return;
      if (--running === 0) ended.resolve();
      throw killed;
    };
    await expect(rebuildAll(context, { onProgress, onWrong() {} })).rejects.toThrow(killed);
    await ended.promise;
  }

  it("an interrupted rebuild of all communities is resumed, and reports communities that could not be rebuilt", async () => {
    await another();
    await comeOn();
    const ids = made.toSorted((a, b) => a - b);
    await interrupted(world());
    const lines: string[] = [];
    const spoilt = ids.at(-1) ?? 0;
    await write(test.table, [{ update: keys.stats(spoilt), set: { members: "nonsense" }, when: "exists" }]);
    const again = await rebuildAll(world(), { onProgress() {}, onWrong: (line) => void lines.push(line) });
    expect(again.communities).toBeLessThan(ids.length);
    expect(again).toMatchObject({ failed: 1 });
    expect(lines.join()).toContain(`community ${spoilt} could not be rebuilt`);

    await write(test.table, [{ delete: keys.stats(spoilt) }]);
    expect(await rebuildAll(world(), { onProgress() {}, onWrong() {} })).toMatchObject({
      communities: ids.length,
      failed: 0,
    });
  });

  it("a rebuild that is resumed also rebuilds the communities that failed before the interruption", async () => {
    const [first = 0] = made.toSorted((a, b) => a - b);
    await write(test.table, [{ update: keys.stats(first), set: { joiners: 9 }, when: "exists" }]);
    const throttled: Writer = {
      ...test.table,
      query: (input) =>
        input.pk === keys.community(first).pk ? Promise.reject(new Error("Throttled")) : test.table.query(input),
    };
    await interrupted({ ...world(), table: throttled });
    await rebuildAll(world(), { onProgress() {}, onWrong() {} });
    expect(await rebuildAll({ ...world(), isDryRun: true }, { onProgress() {}, onWrong() {} })).toMatchObject({
      wrong: 0,
      failed: 0,
    });
  });
});
