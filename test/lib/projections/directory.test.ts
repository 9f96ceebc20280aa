import { beforeEach, describe, expect, it } from "vitest";
import { consume } from "#lib/projections/consume.ts";
import * as communities from "#lib/store/communities.ts";
import { type DirectoryRow, keyOf, rowFrom } from "#lib/store/directory-rows.ts";
import type { Item } from "#lib/store/expression.ts";
import { Conflict } from "#lib/store/failure.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import type { Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, type GivenCommunity, givenBy, memberOf } from "../../support/given.ts";
import { memberRecord, recordOf, type Wire } from "./stream.ts";

const test = startTable();
const now = new Date();

let community: GivenCommunity;
beforeEach(async () => {
  community = await aCommunity(test.table, { tier: { badge: "Friend" } });
});

/** Changes the community's item, and returns the stream record. */
async function change(set: Item): Promise<Wire> {
  const key = keys.community(community.id);
  const before = await test.table.get(key);
  await write(test.table, [{ update: key, set, when: "exists" }]);
  return recordOf(key, before, await test.table.get(key));
}

async function rowKey(): Promise<string | undefined> {
  const { directory_key } = (await test.table.get(keys.community(community.id))) ?? {};
  return typeof directory_key === "string" ? directory_key : undefined;
}

/** Every row of the community, newest last. */
async function rows(): Promise<DirectoryRow[]> {
  const { items } = await test.table.query({ pk: keys.directoryRow(0, 0).pk });
  return items.map(rowFrom).filter(({ id }) => id === community.id);
}

/** The table with another clock. */
const at = (clock: () => Date): Writer => ({ ...test.table, runtime: { ...test.table.runtime, now: clock } });

const come = (...records: Wire[]) =>
  consume(
    at(() => now),
    records,
    now,
  );
const joins = (over: Partial<Omit<StoredMember, "user">> = {}) =>
  memberRecord(undefined, memberOf(community, { first_granted_at: now.toISOString(), ...over }));

describe("a community's row in the directory", () => {
  it("the directory row of a community appears with the community, and has its tiers", async () => {
    const key = keys.tier(community.id, community.tier.id);
    await come(recordOf(key, undefined, await test.table.get(key)));
    expect(await rows()).toMatchObject([
      {
        name: "Mezcal Circle",
        member_count: 0,
        joiners: 0,
        trend_score: null,
        is_listed: true,
        badges: { [community.tier.id]: "Friend" },
      },
    ]);
    expect(await rowKey()).toBeDefined();
  });

  it("the directory row of a community moves at most once per batch", async () => {
    await come(joins());
    const first = await rowKey();
    await come(
      joins(),
      joins(),
      joins({ status: "canceled", ended_at: now.toISOString() }),
      joins({ is_blocked: true }),
    );
    expect(await rows()).toMatchObject([{ member_count: 3, joiners: 5 }]);
    const second = await rowKey();
    expect(String(first) < String(second)).toBe(true);
    expect(second).not.toBe(first);
  });

  it("the directory row of a community does not move if nothing that it shows changes", async () => {
    const member = memberOf(community);
    await come(memberRecord(undefined, member));
    const key = await rowKey();
    await come(
      memberRecord(member, { ...member, status: "past_due" }),
      memberRecord(member, { ...member, notes: "!" }),
    );
    expect(await rowKey()).toBe(key);
  });

  it("a new community name and a new badge appear in the directory row", async () => {
    await come(joins());
    await come(await change({ name: "Palenque", avatar_url: "https://example.com/a.png" }));
    expect(await rows()).toMatchObject([{ name: "Palenque", avatar_url: "https://example.com/a.png" }]);

    const key = keys.tier(community.id, community.tier.id);
    const before = await test.table.get(key);
    await write(test.table, [{ update: key, set: { badge: null }, when: "exists" }]);
    await come(recordOf(key, before, await test.table.get(key)));
    expect(await rows()).toMatchObject([{ badges: { [community.tier.id]: "Barrel Owner" } }]);
  });

  it("a change that moves the directory row in its own transaction does not move the row again", async () => {
    await come(joins());
    const key = await rowKey();
    const moved = await change({ name: "Palenque", directory_key: `${key}x` });
    await come(moved, await change({ updated_at: now.toISOString() }));
    expect(await rowKey()).toBe(`${key}x`);
    expect(await rows()).toMatchObject([{ name: "Mezcal Circle" }]);
  });

  it("the directory row of an archived community becomes a tombstone that expires, and does not move again", async () => {
    await come(joins());
    await come(await change({ status: "archived" }));
    const key = (await rowKey()) ?? "";
    expect(await test.table.get(keyOf(key))).toMatchObject({
      is_listed: false,
      expires_at: Math.floor(now.getTime() / 1000) + 48 * 60 * 60,
    });
    await come(joins());
    expect(await rowKey()).toBe(key);
    await come(await change({ status: "active" }));
    expect(await rows()).toMatchObject([{ is_listed: true, member_count: 2 }]);
  });

  it("a directory row moves forward even if the clock has gone back", async () => {
    await consume(
      at(() => new Date(now.getTime() + 60_000)),
      [joins()],
      now,
    );
    const ahead = await rowKey();
    await come(joins());
    const moved = await rowKey();
    expect(moved).not.toBe(ahead);
    expect(String(ahead) < String(moved)).toBe(true);
    expect(await rows()).toHaveLength(1);
  });

  it("a directory row has the time of the attempt that writes it, even if its batch began long before", async () => {
    let clock = now.getTime();
    let isFirst = true;
    const slow: Writer = {
      ...at(() => new Date(clock)),
      async query(input) {
        const page = await test.table.query(input);
        clock += 12_000;
        // Another writer comes first.
        if (isFirst)
          await consume(
            at(() => new Date(clock)),
            [joins()],
            now,
          );
        isFirst = false;
        return page;
      },
    };
    await consume(slow, [joins()], now);
    expect(await rows()).toMatchObject([{ member_count: 2 }]);
    expect(Number((await rowKey())?.split("#")[0])).toBe(now.getTime() + 24_000);
  });
});

describe("a community that is unarchived while somebody joins", () => {
  const unarchive = async () =>
    communities.update(
      test.table,
      await communities.open(test.table, community.id),
      { status: "active" },
      givenBy(now),
    );
  beforeEach(async () => {
    await come(joins());
    await come(await change({ status: "archived" }));
  });

  it("unarchiving a community is decided again if a join was counted after the community was read", async () => {
    const before = await communities.open(test.table, community.id);
    await come(joins());
    await expect(communities.update(test.table, before, { status: "active" }, givenBy(now))).rejects.toThrow(Conflict);
    await unarchive();
    expect(await rows()).toMatchObject([{ is_listed: true, member_count: 2 }]);
  });

  it("a community that is unarchived while a join is counted has a directory row with the join", async () => {
    let isFirst = true;
    const interrupted: Writer = {
      ...test.table,
      async query(input) {
        const page = await test.table.query(input);
        if (isFirst) await unarchive();
        isFirst = false;
        return page;
      },
    };
    await consume(interrupted, [joins()], now);
    expect(await rows()).toMatchObject([{ is_listed: true, member_count: 2 }]);
  });

  it("a community can be unarchived before anything was counted", async () => {
    community = await aCommunity(test.table);
    await change({ status: "archived" });
    await unarchive();
    expect(await rows()).toMatchObject([{ is_listed: true, member_count: 0 }]);
  });
});
