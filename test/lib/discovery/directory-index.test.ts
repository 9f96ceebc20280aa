import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, type Entry, type ListedCommunity } from "#lib/discovery/columns.ts";
import { type Change, createIndex, type SearchQuery } from "#lib/discovery/directory-index.ts";
import { listed, type Random, seeded } from "../../support/listing.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const week = 7 * 86_400_000;
const hot = now.getTime() / week;

let clock = 1;
const entry = (random: Random, over: Partial<Entry> = {}): Entry => ({
  id: 1 + random.below(2 ** 50),
  uuid: `${random.below(1e9).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
  name: random.name(),
  slug: "slug",
  avatar_url: null,
  member_count: random.below(4),
  trend_score: random.pick([null, hot - 5 + random.below(7), hot - 2]),
  joiners: random.below(6),
  trending_pin: random.pick([null, null, null, "on", "off"]),
  badges: { "1": "Friend" },
  changed: clock++,
  ...over,
});

const changeTo = (one: Entry): Change => ({ id: one.id, at: one.changed, entry: one });

const randomQuery = (random: Random, ids: readonly number[]): SearchQuery => ({
  query: random.query(),
  filter: random.pick([
    "all",
    { trendingAt: now },
    { ids: new Set(Array.from({ length: random.below(20) }, () => random.pick(ids))) },
  ]),
  page: 1 + random.below(5),
  per: 1 + random.below(10),
});

describe("DirectoryIndex", () => {
  it("search returns what filtering, folding and sorting all communities returns, after any changes", () => {
    assert(
      property(integer(), (seed) => {
        const random = seeded(seed);
        const truth = new Map(
          Array.from({ length: random.below(60) }, () => entry(random)).map((one) => [one.id, one] as const),
        );
        const index = createIndex(columnsOf([...truth.values()]));
        for (let step = 0; step < 60; step++) {
          const known = [...truth.keys()];
          const id = random.pick([...known, 1 + random.below(2 ** 50)]);
          if (random.below(4) === 0) {
            truth.delete(id);
            index.apply({ id, at: clock++, entry: undefined });
          } else {
            const changed = entry(random, { id, ...(truth.has(id) && { uuid: truth.get(id)?.uuid ?? "" }) });
            truth.set(id, changed);
            index.apply(changeTo(changed));
          }
          const asked = randomQuery(random, [id, ...known]);
          const uuids = ({ data, ...found }: { data: readonly ListedCommunity[] }) => ({
            ...found,
            data: data.map(({ uuid }) => uuid),
          });
          expect(uuids(index.search(asked))).toEqual(uuids(listed([...truth.values()], asked)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("the order and repetition of directory rows does not change the result of a search", () => {
    assert(
      property(integer(), (seed) => {
        const random = seeded(seed);
        const base = Array.from({ length: 20 }, (_, n) => entry(random, { id: n + 1 }));
        const rows = Array.from({ length: 40 }, () => entry(random, { id: 1 + random.below(30) }));
        const isGone = (row: Entry) => row.changed % 5 === 0;
        const after = (order: readonly Entry[]) => {
          const index = createIndex(columnsOf(base));
          for (const row of order) index.apply({ ...changeTo(row), ...(isGone(row) && { entry: undefined }) });
          return index.search({ query: "", filter: "all", page: 1, per: 100 });
        };
        const shuffled = [...rows, ...rows].toSorted(() => random.next() - 0.5);
        expect(after(shuffled)).toEqual(after(rows));
      }),
      { numRuns: 60 },
    );
  });

  it("search returns the fields of a community as they were stored", () => {
    const random = seeded(1);
    const one = entry(random, { avatar_url: "https://example.com/é.png", badges: { "12": "Ñ", "13": "🥃" } });
    const [shown] = createIndex(columnsOf([one])).search({ query: "", filter: "all", page: 1, per: 1 }).data;
    const { id, uuid, name, slug, avatar_url, member_count, badges } = one;
    expect(shown).toEqual({ id, uuid, name, slug, avatar_url, member_count, badges });
  });

  it("a page past the end is empty, however large its number is", () => {
    const index = createIndex(columnsOf([]));
    index.apply(changeTo(entry(seeded(1))));
    const search = { query: "", filter: "all", per: 100 } as const;
    for (const page of [2, Number.MAX_SAFE_INTEGER])
      expect(index.search({ ...search, page })).toEqual({ total: 1, has_more: false, data: [] });
  });

  it("a search after 10,000 changes of 10,000 communities finds what they are now", () => {
    const random = seeded(7);
    const names = Array.from({ length: 2000 }, () => random.name());
    const changed = (id: number) => entry(random, { id, name: random.pick(names), member_count: random.below(900) });
    const many = Array.from({ length: 10_000 }, (_, n) => changed(n + 1));
    const index = createIndex(columnsOf(many));
    // Some communities change often.
    const changes = many.map(() => changed(1 + Math.floor(10_000 * random.next() ** 2)));
    for (const change of changes) index.apply(changeTo(change));
    const newest = new Map([...many, ...changes].map((one) => [one.id, one] as const));
    const asked: SearchQuery = { query: "mezcal", filter: "all", page: 3, per: 50 };
    const uuids = ({ total, data }: { total: number; data: readonly ListedCommunity[] }) => [
      total,
      ...data.map(({ uuid }) => uuid),
    ];
    expect(uuids(index.search(asked))).toEqual(uuids(listed([...newest.values()], asked)));
  });

  it("a community stops trending as time passes, without a new row", () => {
    const one = entry(seeded(1), { trend_score: hot, joiners: 3, trending_pin: null });
    const index = createIndex(columnsOf([one]));
    const totalAfter = (weeks: number) =>
      index.search({ query: "", filter: { trendingAt: new Date(now.getTime() + weeks * week) }, page: 1, per: 1 })
        .total;
    expect([0, 2.9, 3.1].map(totalAfter)).toEqual([1, 1, 0]);
  });
});
