import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { heatOf, isTrending, joined } from "#lib/domain/trend.ts";
import { seeded } from "../../support/listing.ts";

const day = 86_400_000;
const start = Date.parse("2026-01-01T00:00:00.000Z");
const after = (days: number) => new Date(start + days * day);

const exactHeat = (joins: readonly number[], now: number) =>
  joins.reduce((sum, at) => sum + 2 ** (-(now - at) / (7 * day)), 0);

describe("the heat of a community", () => {
  it("the heat of a community is 1 at the time of a join, and halves every seven days", () => {
    const score = joined(null, after(0));
    expect([0, 7, 14, 21].map((days) => heatOf(score, after(days)))).toEqual([1, 0.5, 0.25, 0.125]);
  });

  it("the heat of a community is 0 before the first join", () => {
    expect(heatOf(null, after(0))).toBe(0);
  });

  it("the heat of two joins is their sum", () => {
    const score = joined(joined(null, after(0)), after(0));
    expect(heatOf(score, after(0))).toBe(2);
    expect(heatOf(joined(score, after(0), 0.25), after(0))).toBeCloseTo(2.25, 9);
  });

  it("the heat of a community does not depend on the order in which joins are counted", () => {
    const times = array(integer({ min: 0, max: 730 * 24 }), { minLength: 1, maxLength: 50 });
    assert(
      property(times, (hours) => {
        const scoreOf = (all: number[]) =>
          all.reduce<number | null>((score, hour) => joined(score, after(hour / 24)), null);
        expect(scoreOf(hours)).toBeCloseTo(scoreOf(hours.toReversed()) ?? Number.NaN, 9);
      }),
    );
  });
});

it("over two years, sorting communities by score gives the same order as the exact heat of all their joins", () => {
  const { next: random } = seeded(6);
  // A few communities are far more popular than most; each has its good and its quiet months.
  const communities = Array.from({ length: 150 }, (_, n) => ({
    rate: 3 / (n + 1) ** 0.7,
    joins: [] as number[],
    score: null as number | null,
  }));
  let looked = 0;
  for (let hour = 0; hour < 730 * 24; hour++) {
    for (const [n, community] of communities.entries()) {
      const season = 1 + Math.sin(hour / 24 / 30 + n);
      if (random() > (community.rate * season) / 24) continue;
      const at = start + hour * 3_600_000 + Math.floor(random() * 3_600_000);
      community.joins.push(at);
      community.score = joined(community.score, new Date(at));
    }
    if (hour % (24 * 15) !== 24 * 14) continue;
    const now = start + (hour + 1) * 3_600_000;
    const exact = communities.map(({ joins }) => exactHeat(joins, now));
    const heats = communities.map(({ score }) => heatOf(score, new Date(now)));
    for (const [n, heat] of heats.entries()) expect(Math.abs(heat - (exact[n] ?? 0))).toBeLessThan(1e-9 * (1 + heat));
    const ranks = (of: (n: number) => number) =>
      communities.map((_, n) => n).toSorted((a, b) => of(b) - of(a) || a - b);
    expect(ranks((n) => communities[n]?.score ?? Number.NEGATIVE_INFINITY)).toEqual(ranks((n) => exact[n] ?? 0));
    looked++;
  }
  expect(looked).toBeGreaterThan(40);
});

describe("the trending mark", () => {
  const threeJoins = [0, 0, 0].reduce<number | null>((score) => joined(score, after(0)), null);

  it.each([
    ["a community that three people have just joined", { score: threeJoins, joiners: 3, pin: null }, 0, true],
    ["a community that two people have joined", { score: threeJoins, joiners: 2, pin: null }, 0, false],
    ["a community that nobody has joined", { score: null, joiners: 0, pin: null }, 0, false],
    ["a community with three joins after 32 days", { score: threeJoins, joiners: 3, pin: null }, 32, true],
    ["a community with three joins after 33 days", { score: threeJoins, joiners: 3, pin: null }, 33, false],
    ["a community that an admin has pinned on", { score: null, joiners: 0, pin: "on" as const }, 0, true],
    ["a community that an admin has pinned off", { score: threeJoins, joiners: 3, pin: "off" as const }, 0, false],
  ])("whether a community is trending is correct for %s", (_, trend, days, expected) => {
    expect(isTrending(trend, after(days))).toBe(expected);
  });

  it("a community is trending down to a heat of exactly 1/8", () => {
    const score = joined(null, after(0));
    expect(isTrending({ score, joiners: 3, pin: null }, after(21))).toBe(true);
    expect(isTrending({ score, joiners: 3, pin: null }, new Date(after(21).getTime() + 1))).toBe(false);
  });
});
