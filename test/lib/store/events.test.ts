import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { sequenceIn } from "#lib/epoch.ts";
import * as events from "#lib/store/events.ts";
import { keys } from "#lib/store/keys.ts";
import { connect, type Writer } from "#lib/store/table.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { allItems, restore } from "../../support/copies.ts";
import { startTable } from "../../support/direct.ts";
import { everyPage } from "../../support/every-page.ts";

vi.stubEnv("CURSOR_KEY", "a key");
const test = startTable();

const start = Date.parse("2026-11-21T12:00:00.000Z");
const [second, day] = [1000, 86_400_000];

/** The table as a function sees it whose clock shows a time. */
const tableAt = (ms: number, over: Partial<Writer["runtime"]> = {}): Writer => {
  const { runtime } = test.table;
  return connect(test.client, test.name, { ...runtime, now: () => new Date(ms), ...over })();
};

const eventOf = (communityId: number, type = "tier.updated") => ({
  id: `${randomUUID()}-0`,
  type,
  timestamp: new Date(start).toISOString(),
  sequence: 10_000,
  subject: "tiers/1",
  community_id: communityId,
  data: { tier: { id: 1 } },
  previous: {},
});

let communities = 100;
const aCommunity = () => ++communities;

/** The ids of all events after an event, read page by page. */
const idsAfter = async (communityId: number, after: string, at = start, per = 2) =>
  idsOf(await everyPage((cursor) => events.list(tableAt(at), communityId, { per, after, cursor })));

const idsOf = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id);

it("events are listed newest first, and after an event oldest first, in the order in which they were stored", async () => {
  const community = aCommunity();
  const stored = Array.from({ length: 5 }, () => eventOf(community));
  await events.addAll(tableAt(start), community, stored);
  const { data, has_more, next_cursor } = await events.list(tableAt(start), community, { per: 2 });
  expect(data).toEqual(stored.slice(3).toReversed());
  const cursor = next_cursor ?? "";
  expect(has_more).toBe(true);
  expect(idsOf((await events.list(tableAt(start), community, { per: 2, cursor })).data)).toEqual(
    idsOf(stored.slice(1, 3).toReversed()),
  );
  expect(await idsAfter(community, stored[0]?.id ?? "")).toEqual(idsOf(stored.slice(1)));
  expect(await idsAfter(community, stored[4]?.id ?? "")).toEqual([]);
});

it("events of one call that need several transactions keep their order", async () => {
  const community = aCommunity();
  const stored = Array.from({ length: 103 }, () => eventOf(community));
  await events.addAll(tableAt(start), community, stored);
  expect(await idsAfter(community, stored[0]?.id ?? "", start, 100)).toEqual(idsOf(stored.slice(1)));
});

it("events that are stored again keep their place", async () => {
  const community = aCommunity();
  const stored = [eventOf(community), eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start), community, stored.slice(0, 2));
  await events.addAll(tableAt(start), community, stored);
  await events.addAll(tableAt(start), community, stored.toReversed());
  expect(idsOf((await events.list(tableAt(start), community, { per: 10 })).data)).toEqual(idsOf(stored).toReversed());
});

it("functions that store events at the same time put none of them before a listed one", async () => {
  const community = aCommunity();
  const first = eventOf(community);
  await events.addAll(tableAt(start), community, [first]);
  const stored = Array.from({ length: 4 }, () => eventOf(community));
  const skewed = stored.map((event, n) =>
    events.addAll(tableAt(start + (n % 2 ? -5 : 5) * second), community, [event]),
  );
  let known: string[] = [];
  const reading = (async () => {
    for (let n = 0; n < 20; n++) {
      const now = await idsAfter(community, first.id, start, 100);
      expect(now.slice(0, known.length)).toEqual(known);
      known = now;
    }
  })();
  await Promise.all([...skewed, reading]);
  expect((await idsAfter(community, first.id, start, 100)).toSorted()).toEqual(idsOf(stored).toSorted());
});

it("of two functions that store the first events of a community, none replaces the other's", async () => {
  const community = aCommunity();
  const [first, late] = [eventOf(community), eventOf(community)];
  await beforeWrite(
    test.client,
    () => events.addAll(tableAt(start), community, [first]),
    () => events.addAll(tableAt(start), community, [late]),
  );
  expect(idsOf((await events.list(tableAt(start), community, { per: 10 })).data)).toEqual([late.id, first.id]);
});

it("a function that is stuck before its write stores its event after those that were listed meanwhile", async () => {
  const community = aCommunity();
  const [first, late, listed] = [eventOf(community), eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start), community, [first]);
  const table = tableAt(start);
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const stuck: Writer = {
    ...table,
    get: async (key) => {
      const item = await table.get(key);
      read.resolve();
      await promise;
      return item;
    },
  };
  const storing = events.addAll(stuck, community, [late]);
  await read.promise;
  await events.addAll(tableAt(start + 20 * second), community, [listed]);
  expect(await idsAfter(community, first.id)).toEqual([listed.id]);
  resolve();
  await storing;
  expect(await idsAfter(community, first.id)).toEqual([listed.id, late.id]);
});

it("a write whose response was lost and that arrives after its repetition has no effect", async () => {
  const community = aCommunity();
  const [first, event, later] = [eventOf(community), eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start), community, [first]);
  const lost: Parameters<Writer["client"]["send"]>[0][] = [];
  const table = tableAt(start);
  const losing = {
    ...table,
    client: {
      send: async (command: never) => {
        lost.push(command);
        throw Object.assign(new Error("lost"), { name: "TimeoutError" });
      },
    },
  } as unknown as Writer;
  await expect(events.addAll(losing, community, [event])).rejects.toMatchObject({ code: "unavailable" });
  await events.addAll(table, community, [event]);
  await events.addAll(table, community, [later]);
  expect(lost).toHaveLength(1);
  for (const command of lost) await expect(test.client.send(command)).rejects.toThrow("ConditionalCheckFailed");
  expect(await idsAfter(community, first.id)).toEqual([event.id, later.id]);
});

it("a page of one type may be empty although there are more", async () => {
  const community = aCommunity();
  const stored = ["tier.updated", "tier.updated", "tier.archived"].map((type) => eventOf(community, type));
  await events.addAll(tableAt(start), community, stored);
  const page = await events.list(tableAt(start), community, { per: 1, type: "tier.updated" });
  expect(page).toMatchObject({ has_more: true, data: [] });
  const cursor = page.next_cursor ?? "";
  const next = await events.list(tableAt(start), community, { per: 1, type: "tier.updated", cursor });
  expect(idsOf(next.data)).toEqual([stored[1]?.id]);
  await expect(events.list(tableAt(start), community, { per: 1, cursor })).rejects.toMatchObject({
    code: "invalid_cursor",
  });
});

it("an `after` that is unknown, of another community or older than 30 days is invalid_cursor", async () => {
  const [community, other] = [aCommunity(), aCommunity()];
  const [event, foreign] = [eventOf(community), eventOf(other)];
  await events.addAll(tableAt(start), community, [event]);
  await events.addAll(tableAt(start), other, [foreign]);
  const listed = (after: string, at = start) => events.list(tableAt(at), community, { per: 1, after });
  const refused = { code: "invalid_cursor", status: 422, errors: [expect.objectContaining({ parameter: "after" })] };
  await expect(listed("9c1f-0")).rejects.toMatchObject(refused);
  await expect(listed(foreign.id)).rejects.toMatchObject(refused);
  expect(await listed(event.id, start + 30 * day)).toMatchObject({ data: [] });
  await expect(listed(event.id, start + 30 * day + 1)).rejects.toMatchObject(refused);
});

it("a cursor of a page after an event is invalid once its position is older than 30 days", async () => {
  const community = aCommunity();
  const stored = [eventOf(community), eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start), community, stored);
  const query = { per: 1, after: stored[0]?.id };
  const cursor = (await events.list(tableAt(start), community, query)).next_cursor ?? "";
  const next = (at: number) => events.list(tableAt(at), community, { ...query, cursor });
  expect(idsOf((await next(start + 30 * day)).data)).toEqual([stored[2]?.id]);
  await expect(next(start + 30 * day + 1)).rejects.toMatchObject({ code: "invalid_cursor" });
});

it("events older than 30 days are not listed, even if the table still has them", async () => {
  const community = aCommunity();
  const stored = [eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start), community, stored.slice(0, 1));
  await events.addAll(tableAt(start + day), community, stored.slice(1));
  const listed = async (at: number) =>
    (await events.list(tableAt(at), community, { per: 1 })) as { data: { id: string }[] };
  expect(await listed(start + 30 * day)).toMatchObject({ has_more: true });
  const page = await events.list(tableAt(start + 31 * day), community, { per: 2 });
  expect([idsOf(page.data), page.has_more]).toEqual([[stored[1]?.id], false]);
  expect(await listed(start + 32 * day)).toMatchObject({ has_more: false, next_cursor: null, data: [] });
});

it("the times of a list do not decrease if the clocks of functions differ", async () => {
  const community = aCommunity();
  const stored = [eventOf(community), eventOf(community)];
  await events.addAll(tableAt(start + 5 * second), community, stored.slice(0, 1));
  await events.addAll(tableAt(start), community, stored.slice(1));
  const [first, next] = await test.table.getAll([1, 2].map((number) => keys.listedEvent(community, number)));
  expect(next?.stored_at).toBe(first?.stored_at);
});

it("a cursor from before a restore is invalid afterwards, because the numbers of lost events are used again", async () => {
  const community = aCommunity();
  await events.addAll(tableAt(start), community, [eventOf(community), eventOf(community)]);
  const { next_cursor } = await events.list(tableAt(start), community, { per: 1 });
  const cursor = next_cursor ?? "";
  await expect(events.list(tableAt(start, { epoch: 1 }), community, { per: 1, cursor })).rejects.toMatchObject({
    code: "invalid_cursor",
  });
});

/** The table in an epoch, and a new event of it. */
const inEpoch = (epoch: number) => ({
  table: tableAt(start, { epoch }),
  eventOf: (communityId: number, type?: string) => ({
    ...eventOf(communityId, type),
    sequence: sequenceIn(epoch, 10_000),
  }),
});

it("a reader that goes on from an event of before a restore is told to read all records again", async () => {
  const community = aCommunity();
  const [before, after] = [inEpoch(0), inEpoch(1)];
  const [read, lost] = [before.eventOf(community), before.eventOf(community)];
  await events.addAll(before.table, community, [read]);
  const copy = await allItems(test.client, test.name);
  await events.addAll(before.table, community, [lost]);
  await restore(test.client, test.name, copy);
  const isRefused = { code: "invalid_cursor", errors: [expect.objectContaining({ parameter: "after" })] };
  await expect(events.list(after.table, community, { per: 10, after: read.id })).rejects.toMatchObject(isRefused);
});

it("after a restore, the list begins with the first event since, on pages of all sizes and of one type", async () => {
  const community = aCommunity();
  const [before, after] = [inEpoch(0), inEpoch(1)];
  await events.addAll(before.table, community, [
    before.eventOf(community),
    before.eventOf(community, "tier.archived"),
    before.eventOf(community),
  ]);
  const empty = { has_more: false, next_cursor: null, data: [] };
  expect(await events.list(after.table, community, { per: 1 })).toEqual(empty);
  expect(await events.list(after.table, community, { per: 1, type: "tier.archived" })).toEqual(empty);

  const stored = [after.eventOf(community), after.eventOf(community), after.eventOf(community, "tier.archived")];
  await events.addAll(after.table, community, stored);
  const listed = async (query: { per: number; after?: string; type?: string }) =>
    idsOf(await everyPage((cursor) => events.list(after.table, community, { ...query, cursor })));
  for (const per of [1, 2, 3, 4, 10]) expect(await listed({ per })).toEqual(idsOf(stored.toReversed()));
  expect(await listed({ per: 1, type: "tier.archived" })).toEqual([stored[2]?.id]);
  expect(await listed({ per: 1, after: stored[0]?.id ?? "" })).toEqual(idsOf(stored.slice(1)));
});
