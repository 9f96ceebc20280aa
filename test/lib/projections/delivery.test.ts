import { PutCommand } from "@aws-sdk/lib-dynamodb";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changeOf, noFigures } from "#lib/domain/figures.ts";
import { Stats, statsOf } from "#lib/domain/stats.ts";
import { heatOf } from "#lib/domain/trend.ts";
import { consume } from "#lib/projections/consume.ts";
import { rebuild } from "#lib/projections/rebuild.ts";
import * as communities from "#lib/store/communities.ts";
import { rowFigures } from "#lib/store/directory-rows.ts";
import { keys } from "#lib/store/keys.ts";
import { itemOf, type StoredMember } from "#lib/store/members/item.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aTier, memberOf } from "../../support/given.ts";
import { startLog } from "../../support/log.ts";
import { History, type Turn, turnsOf } from "./histories.ts";
import { killAt, refuseFirst } from "./killed.ts";
import { naiveStats } from "./naive.ts";
import { deliverAll, memberRecord, recordOf, type Wire } from "./stream.ts";

const test = startTable();
const log = startLog();
const now = new Date();

/** A community with the members at the end of the history. */
async function lived(history: History) {
  const community = await aCommunity(test.table);
  const tiers = [community.tier.id, (await aTier(test.table, community.id)).id];
  for (const tier of tiers) {
    const key = keys.tier(community.id, tier);
    await deliverAll(test.table, [recordOf(key, undefined, await test.table.get(key))], now);
  }
  const turns = turnsOf(history, community, tiers, now);
  const members = [...new Map(turns.map(({ after }) => [after.id, after])).values()];
  await keep(members);
  return { id: community.id, turns, members };
}

const keep = (members: readonly StoredMember[]) =>
  Promise.all(
    members.map((member) => test.client.send(new PutCommand({ TableName: test.table.name, Item: itemOf(member) }))),
  );

/** Records grouped by member, like in shards. */
const shardsOf = (turns: readonly Turn[]): Wire[][] =>
  [...Map.groupBy(turns, ({ after }) => after.id).values()].map((own) =>
    own.map(({ before, after }) => memberRecord(before, after)),
  );

async function projected(communityId: number) {
  const { figures, tiers } = await communities.open(test.table, communityId);
  const stats = statsOf({ figures: figures ?? noFigures, days: [], month: [] }, tiers, now);
  return {
    total: stats.total,
    member_count: stats.member_count,
    blocked: stats.blocked,
    active: stats.by_status.active,
    joined: stats.joined_in_30_days,
    left: stats.left_in_30_days,
    refunded: stats.refunded_in_30_days_cents,
    joiners: figures?.joiners ?? 0,
    heat: heatOf(figures?.trend_score ?? null, now).toFixed(6),
  };
}

/** The differences that a rebuild finds. All changes are counted, so the first comparison must be exact. */
const wrongOf = (communityId: number) => {
  const pause = () => Promise.reject(new Error("The figures differ from the members"));
  return rebuild({ table: test.table, now: () => now, pause, isDryRun: true }, communityId);
};

it("projections equal a naive count of any history, for any batches, shard order and repeated deliveries", async () => {
  await fc.assert(
    fc.asyncProperty(
      History,
      fc.array(fc.record({ shard: fc.nat(4), size: fc.integer({ min: 1, max: 5 }), isRepeated: fc.boolean() })),
      async (history, schedule) => {
        const { id, turns, members } = await lived(history);
        const left = shardsOf(turns);
        for (const { shard, size, isRepeated } of schedule) {
          const batch = left[shard]?.splice(0, size) ?? [];
          expect(await consume(test.table, batch, now)).toEqual({ failed: [], unreadable: [] });
          if (isRepeated) expect(await consume(test.table, batch, now)).toEqual({ failed: [], unreadable: [] });
        }
        await Promise.all(left.map((shard) => deliverAll(test.table, shard, now)));
        expect(await projected(id)).toEqual(naiveStats(members, now));
      },
    ),
    { numRuns: 60 },
  );
});

/** Enough for three batches, with something of everything. */
const [longHistory = []] = fc.sample(
  fc.array(History, { minLength: 4, maxLength: 4 }).map((histories) => histories.flat().slice(0, 100)),
  { numRuns: 1, seed: 6 },
);

describe("a consumer", () => {
  it("projections count a batch once if it is delivered again in different parts", async () => {
    const { id, turns, members } = await lived(longHistory);
    const records = turns.map(({ before, after }) => memberRecord(before, after));
    for (const size of [40, 7, 40, 1]) await deliverAll(test.table, records, now, size);
    expect(await projected(id)).toEqual(naiveStats(members, now));
    expect(await wrongOf(id)).toEqual([]);
  });

  it("projections count records of concurrent shards once", async () => {
    const { id, turns, members } = await lived(longHistory);
    const shards = shardsOf(turns);
    await Promise.all([...shards, ...shards].map((shard) => deliverAll(test.table, shard, now, 3)));
    expect(await projected(id)).toEqual(naiveStats(members, now));
    expect(await wrongOf(id)).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "a consumer that is killed %s any of its calls leaves the projections correct",
    async (when) => {
      let isOver = false;
      for (let nth = 1; !isOver; nth++) {
        const { id, turns } = await lived(longHistory.slice(0, 12));
        const records = turns.map(({ before, after }) => memberRecord(before, after));
        const killed = killAt(test.client, nth, when);
        await consume(test.table, records.slice(0, 5), now);
        await consume(test.table, records, now);
        isOver = !killed.end();
        await deliverAll(test.table, records, now);
        expect(await wrongOf(id)).toEqual([]);
      }
    },
  );

  it("projections report a record that they cannot read, and count the others", async () => {
    const community = await aCommunity(test.table);
    const records = [1, 2, 3].map(() => memberRecord(undefined, memberOf(community)));
    const poison = records[1];
    if (poison?.dynamodb.NewImage) poison.dynamodb.NewImage.status = { S: "confused" };
    expect(await consume(test.table, records, now)).toEqual({ failed: [], unreadable: [poison] });
    expect((await projected(community.id)).total).toBe(2);
    expect(log.lines().map((line) => JSON.stringify(line))).toEqual([
      expect.stringContaining(poison?.dynamodb.SequenceNumber ?? "?"),
    ]);
  });

  it("projections do not count a rebuild's barrier while an unreadable record precedes it", async () => {
    const community = await aCommunity(test.table);
    const [poison, joined] = [1, 2].map(() => memberRecord(undefined, memberOf(community)));
    const key = keys.barrier(community.id);
    const barrier = recordOf(key, undefined, { ...key, nonce: "n1", expires_at: 0 });
    if (!poison || !joined) throw new Error("There are no records");
    (poison.dynamodb.NewImage as Record<string, unknown>).status = { S: "confused" };
    const outcome = await consume(test.table, [poison, joined, barrier], now);
    expect(outcome).toEqual({ failed: [barrier], unreadable: [poison] });
    expect((await projected(community.id)).total).toBe(1);

    expect(await consume(test.table, [joined, barrier], now)).toEqual({ failed: [], unreadable: [] });
    expect(await test.table.get(keys.stats(community.id))).toMatchObject({ barrier: "n1", changes: 1 });
  });

  it("projections do not count a rebuild's barrier that follows a failed transaction", async () => {
    const community = await aCommunity(test.table);
    const paid = (month: number) =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [`2026-0${month}-${String(n + 1).padStart(2, "0")}`, 100]),
      );
    const records = [1, 2, 3, 4, 5, 6].map((month) =>
      memberRecord(undefined, memberOf(community, { paid_cents_by_day: paid(month) })),
    );
    const key = keys.barrier(community.id);
    const barrier = recordOf(key, undefined, { ...key, nonce: "n1", expires_at: 0 });
    const refused = refuseFirst(test.client, "TransactWrite");
    const { failed } = await consume(test.table, [...records, barrier], now);
    refused.end();
    // A transaction has room for four of these records. The second one is not refused.
    expect(failed).toEqual([...records.slice(0, 4), barrier]);
    expect((await projected(community.id)).total).toBe(2);
    await deliverAll(test.table, [...records, barrier], now);
    expect(await test.table.get(keys.stats(community.id))).toMatchObject({ barrier: "n1", changes: 6 });
  });

  it.each([
    ["the stream delivers is remembered for 2 days, twice as long as the stream keeps records", false, 2],
    ["is redriven is remembered for 36 days, longer than the bucket keeps failed records", true, 36],
  ])("a counted record that %s", async (_, isRedriven, days) => {
    const community = await aCommunity(test.table);
    const record = memberRecord(undefined, memberOf(community));
    await consume(test.table, [record], now, { isRedriven });
    const marker = await test.table.get(keys.streamRecord(record.eventID ?? ""));
    expect(marker).toMatchObject({ expires_at: Math.floor(now.getTime() / 1000) + days * 24 * 60 * 60 });
  });

  it("statistics and the directory show 0, not a negative number, while the record of a join is set aside", async () => {
    const community = await aCommunity(test.table);
    const joined = memberOf(community, { first_granted_at: now.toISOString() });
    const left = { ...joined, status: "canceled" as const, first_granted_at: null, ended_at: now.toISOString() };
    await consume(test.table, [memberRecord(joined, left)], now);

    const { figures, tiers } = await communities.open(test.table, community.id);
    expect(figures).toMatchObject({ members: { [`active/${joined.tier_id}/open`]: -1 }, joiners: -1 });
    const days = [{ joined: -1, left: -1, new_members: -1 }];
    const stats = statsOf({ figures: figures ?? noFigures, days, month: [] }, tiers, now);
    expect(v.parse(Stats, stats)).toEqual(stats);
    expect(stats).toMatchObject({ total: 0, member_count: 0, by_status: { active: 0, canceled: 1 } });
    expect(rowFigures(figures)).toMatchObject({ member_count: 0, joiners: 0 });

    await consume(test.table, [memberRecord(undefined, joined)], now);
    expect(await projected(community.id)).toMatchObject({ total: 1, member_count: 0, joiners: 0 });
  });

  it("projections return the records that they could not write as failed, without a partial write", async () => {
    const { id, turns, members } = await lived(longHistory.slice(0, 20));
    const records = turns.map(({ before, after }) => memberRecord(before, after));
    const counted = new Set(turns.flatMap(({ before, after }, n) => (changeOf(before, after) ? [records[n]] : [])));
    const killed = killAt(test.client, 2, "before");
    const { failed, unreadable } = await consume(test.table, records, now);
    expect([new Set(failed), unreadable]).toEqual([counted, []]);
    killed.end();
    expect((await projected(id)).total).toBe(0);
    await deliverAll(test.table, records, now);
    expect(await projected(id)).toEqual(naiveStats(members, now));
  });
});
