import { describe, expect, it } from "vitest";
import { type Figures, noFigures } from "#lib/domain/figures.ts";
import { sumNames } from "#lib/domain/series.ts";
import { differences, sumDifferences } from "#lib/projections/differences.ts";

const day = "2026-11-03";

describe("the differences between stored and counted figures", () => {
  it.each<[keyof Figures, Partial<Figures>, Partial<Figures>, string]>([
    [
      "members",
      { members: { "active/11/open": 4 } },
      { members: { "active/11/open": 3 } },
      "members active/11/open is 4, not 3",
    ],
    ["joined", { joined: { [day]: 2 } }, { joined: {} }, `joined ${day} is 2, not 0`],
    ["left", { left: {} }, { left: { [day]: 1 } }, `left ${day} is 0, not 1`],
    ["refunded_cents", { refunded_cents: { [day]: 500 } }, {}, `refunded_cents ${day} is 500, not 0`],
    ["monthly_cents", { monthly_cents: 2500 }, { monthly_cents: 2000 }, "monthly_cents is 2500, not 2000"],
    ["joiners", { joiners: 9 }, { joiners: 3 }, "joiners is 9, not 3"],
    ["trend_score", { trend_score: null }, { trend_score: 1.5 }, "trend_score is null, not 1.5"],
  ])("a difference of %s is reported once, and equal figures have none", (_, stored, counted, line) => {
    expect(differences({ ...noFigures, ...stored }, { ...noFigures, ...counted })).toEqual([line]);
    expect(differences({ ...noFigures, ...stored }, { ...noFigures, ...stored })).toEqual([]);
  });

  it("every figure is compared", () => {
    const changed: Figures = {
      members: { "active/11/open": 1 },
      joined: { [day]: 1 },
      left: { [day]: 1 },
      refunded_cents: { [day]: 1 },
      monthly_cents: 1,
      joiners: 1,
      trend_score: 1,
    };
    expect(Object.keys(changed).toSorted()).toEqual(Object.keys(noFigures).toSorted());
    const named = differences(changed, noFigures).map((line) => line.split(" ", 1).join());
    expect(named.toSorted()).toEqual(Object.keys(noFigures).toSorted());
  });

  it("scores are compared without their last digits, which depend on the order of joins", () => {
    expect(differences({ ...noFigures, trend_score: 1.5 }, { ...noFigures, trend_score: 1.5 + 1e-9 })).toEqual([]);
    expect(differences({ ...noFigures, trend_score: 1.5 }, { ...noFigures, trend_score: 1.501 })).toHaveLength(1);
  });

  it.each(sumNames)("a difference of the sum %s is reported for the day and for its month", (name) => {
    expect(sumDifferences({ days: {}, months: {} }, { [day]: { [name]: 7 } })).toEqual([
      `${name} ${day} is 0, not 7`,
      `${name} 2026-11 is 0, not 7`,
    ]);
    expect(sumDifferences({ days: { [day]: { [name]: 7 } }, months: { "2026-11": { [name]: 7 } } }, {})).toEqual([
      `${name} ${day} is 7, not 0`,
      `${name} 2026-11 is 7, not 0`,
    ]);
  });
});
