import { beforeAll, expect, it, vi } from "vitest";
import type { CommunityActivityQuery } from "#lib/domain/activity.ts";
import * as activity from "#lib/store/activity.ts";
import { listOfCommunity } from "#lib/store/community-activity.ts";
import type { Reader } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { everyPage } from "../../support/every-page.ts";
import { givenBy } from "../../support/given.ts";

vi.stubEnv("CURSOR_KEY", "a key");
const test = startTable();

const community = 4711;
const start = Date.parse("2026-09-20T00:00:00.000Z");
/** Several entries have the same time, and those of different records the same id. */
const timeOf = (n: number) => new Date(start + Math.floor(n / 6) * 8 * 3_600_000);
const sameId = (): Reader => ({ ...test.table, runtime: { ...test.table.runtime, random: () => 0.5 } });
const actors = [activity.byUser(1), { type: "api_key", id: 2 } as const, activity.byStripe, activity.bySystem];

type Listed = { readonly at: string; readonly type: string; readonly id: number; readonly actor_id: number | null };
const expected: Listed[] = [];

beforeAll(async () => {
  for (let n = 0; n < 60; n++) {
    const member = { id: 100 + (n % 6), community_id: community };
    const actor = actors[n % 4] ?? activity.bySystem;
    const action = n % 8 === 1 ? "imported" : "blocked";
    await write(test.table, [activity.appendAuditEntry(sameId(), member, { action, actor }, timeOf(n))]);
    if (actor.id !== null && action !== "imported")
      expected.push({ at: timeOf(n).toISOString(), type: "member", id: member.id, actor_id: actor.id });
    if (n % 6 > 0) continue;
    const record = { type: n % 12 === 0 ? "tier" : "community", id: 7 } as const;
    const entry = { record, action: "edited", before: null, after: null } as const;
    await write(test.table, [activity.appendCommunityEntry(sameId(), community, entry, givenBy(timeOf(n)))]);
    expected.push({ at: timeOf(n).toISOString(), ...record, actor_id: 1 });
  }
  const elsewhere = { id: 900, community_id: community + 1 };
  const entry = { action: "blocked", actor: activity.byUser(1) } as const;
  await write(test.table, [activity.appendAuditEntry(test.table, elsewhere, entry, timeOf(3))]);
});

const list = (query: Partial<CommunityActivityQuery>) =>
  listOfCommunity(test.table, community, { per: 100, cursor: undefined, ...query });

async function walk(query: Partial<CommunityActivityQuery>): Promise<Listed[]> {
  const entries = await everyPage((cursor) => list({ ...query, cursor }));
  return entries.map(({ at, record: { type, id }, actor }) => ({ at, type, id, actor_id: actor.id }));
}

const textsOf = (entries: readonly Listed[]) => entries.map((entry) => JSON.stringify(entry)).toSorted();

it.each([1, 2, 3, 7, 100])(
  "pages of %i entries have each entry of the community and its members once, newest first, also those with the same id",
  async (per) => {
    const seen = await walk({ per });
    const times = seen.map((entry) => entry.at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(textsOf(seen.map(({ at, type, id, actor_id }) => ({ at, type, id, actor_id })))).toEqual(textsOf(expected));
  },
);

it.each<[Partial<CommunityActivityQuery>, (entry: Listed) => boolean]>([
  [{ actor_id: 2 }, ({ actor_id }) => actor_id === 2],
  [{ type: "member" }, ({ type }) => type === "member"],
  [{ type: "tier" }, ({ type }) => type === "tier"],
  [{ type: "invitation" }, () => false],
  [{ from: "2026-09-22" }, ({ at: time }) => time >= "2026-09-22"],
  [{ to: "2026-09-21" }, ({ at: time }) => time < "2026-09-22"],
  [{ from: "2026-09-21", to: "2026-09-21" }, ({ at: time }) => time.startsWith("2026-09-21")],
  [{ to: "2020-01-01" }, () => false],
  [{ from: "2999-01-01" }, () => false],
  [
    { type: "member", actor_id: 1, from: "2026-09-21", to: "2026-09-22" },
    ({ type, actor_id, at: time }) =>
      type === "member" && actor_id === 1 && time >= "2026-09-21" && time < "2026-09-23",
  ],
])(
  "the activity of a community has exactly the entries that match %j, on pages of any size",
  async (query, matches) => {
    for (const per of [2, 100])
      expect(textsOf(await walk({ ...query, per }))).toEqual(textsOf(expected.filter(matches)));
  },
);

it("entries that are written between two pages do not change the later page", async () => {
  const first = await list({ per: 5 });
  const before = await list({ per: 5, cursor: first.next_cursor ?? "" });
  const newer = { action: "unblocked", actor: activity.byUser(1) } as const;
  const member = { id: 900, community_id: community };
  await write(test.table, [activity.appendAuditEntry(test.table, member, newer, new Date(start + 30 * 86_400_000))]);
  expect(await list({ per: 5, cursor: first.next_cursor ?? "" })).toEqual(before);
  expect((await list({ per: 1 })).data[0]).toMatchObject({ action: "unblocked" });
});

it("a page of the activity that exceeds its size ends early, and the next page goes on after it", async () => {
  const large = { text: "x".repeat(290_000) };
  for (let n = 0; n < 20; n++) {
    const entry = { action: "edited", actor: activity.byUser(1), after: large } as const;
    const member = { id: 200 + n, community_id: 4713 };
    await write(test.table, [activity.appendAuditEntry(sameId(), member, entry, timeOf(n))]);
  }
  const entries = await everyPage(async (cursor) => {
    const page = await listOfCommunity(test.table, 4713, { per: 100, cursor });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(4.5 * 1024 * 1024);
    return page;
  });
  expect(entries.map(({ record }) => record.id).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, n) => 200 + n),
  );
});
