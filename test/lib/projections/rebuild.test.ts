import { beforeEach, describe, expect, it } from "vitest";
import { consume } from "#lib/projections/consume.ts";
import { type RebuildContext, rebuild } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import * as communities from "#lib/store/communities.ts";
import { keyOf } from "#lib/store/directory-rows.ts";
import { keys } from "#lib/store/keys.ts";
import { communityIds } from "#lib/store/scan.ts";
import { write } from "#lib/store/write.ts";
import { deliver } from "../../../tools/local/streams/deliver.ts";
import { openStream } from "../../../tools/local/streams/reader.ts";
import { rebuildAll } from "../../../tools/scripts/rebuild-all.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";

const test = startTable({ stream: true });
const now = () => new Date();
const letIn = { first_granted_at: new Date().toISOString() };

const read = new Map<string, string>();

/** Lets the projections come as far as the table's own stream is. */
async function comeOn(): Promise<void> {
  const stream = await openStream(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "", test.table.name);
  for (const shard of await stream.shards()) {
    const records = await stream.read(shard, read.get(shard));
    const last = records.at(-1)?.dynamodb.SequenceNumber;
    if (last !== undefined) read.set(shard, last);
    await deliver(records, async ({ Records }) => {
      const failed = await consume(test.table, Records, now());
      return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })) };
    });
  }
}

const world = (over: Partial<RebuildContext> = {}): RebuildContext => ({
  table: test.table,
  now,
  pause: comeOn,
  ...over,
});

let community: GivenCommunity;
beforeEach(async () => {
  community = await aCommunity(test.table);
  for (let n = 0; n < 3; n++) await aMember(test.table, community, letIn);
  await comeOn();
});

const spoil = (key: typeof keys.stats) =>
  write(test.table, [
    { update: key(community.id), set: { members: { "active/1/open": 7 }, joiners: 9 }, when: "exists" },
  ]);
const figures = async () => (await communities.open(test.table, community.id)).figures;

describe("a rebuild", () => {
  it("finds nothing wrong with what the stream has brought about", async () => {
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("says what is wrong, puts it right, and then finds nothing", async () => {
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

  it("makes figures and a row where there are none", async () => {
    const right = await figures();
    const { directory_key } = (await test.table.get(keys.community(community.id))) ?? {};
    await write(test.table, [{ delete: keys.stats(community.id) }, { delete: keyOf(String(directory_key)) }]);
    expect(await rebuild(world(), community.id)).toContain("the directory row is missing");
    expect(await figures()).toEqual(right);
    expect(await rebuild(world(), community.id)).toEqual([]);
  });

  it("takes what is still on its way for what it is", async () => {
    await aMember(test.table, community, letIn);
    expect(await rebuild(world(), community.id)).toEqual([]);
    expect((await figures())?.joiners).toBe(4);
  });

  it("counts nobody twice who joins while it repairs", async () => {
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

  it("gives up where the projections do not come on", async () => {
    await spoil(keys.stats);
    await expect(rebuild(world({ pause: async () => {} }), community.id)).rejects.toThrow("do not come on");
  });

  it("takes rows out of the directory that belong to no community", async () => {
    const { directory_key } = (await test.table.get(keys.community(community.id))) ?? {};
    const row = await test.table.get(keyOf(String(directory_key)));
    const stray = keys.directoryRow(1, community.id);
    await write(test.table, [{ put: { ...row, ...stray } }]);
    const wrong = [`community ${community.id} does not know its directory row ${stray.sk}`];
    expect(await removeStrays(test.table, { isDryRun: true })).toEqual(wrong);
    expect(await removeStrays(test.table)).toEqual(wrong);
    expect(await removeStrays(test.table)).toEqual([]);
  });

  it("of all communities tells how far it is, and what was wrong where", async () => {
    const other = await aCommunity(test.table);
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
    const ids = await communityIds(test.table);
    expect(ids).toEqual(expect.arrayContaining([community.id, other.id]));
    expect(outcome).toEqual({ communities: ids.length, wrong: 3 });
    expect(progress).toHaveLength(ids.length);
    expect(progress.at(-1)).toBe(`${ids.length}/${ids.length}/3`);
    expect(lines).toContain(`community ${community.id}: joiners is 9, not 3`);
    expect(await rebuildAll(world(), report)).toEqual({ communities: ids.length, wrong: 0 });
  });
});
