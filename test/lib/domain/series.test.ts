import { describe, expect, it } from "vitest";
import { periodsOf } from "#lib/domain/period.ts";
import { addDays, byMonth, type Metric, pointsOf, sumNames, withoutMoneyBefore } from "#lib/domain/series.ts";

/** A Sunday. */
const now = new Date("2026-11-22T23:59:59.999Z");

describe("the periods of a series", () => {
  it.each([
    ["day", undefined, undefined, 30, "2026-10-24", "2026-11-22", "2026-11-22"],
    ["week", undefined, undefined, 12, "2026-08-31", "2026-11-16", "2026-11-22"],
    ["month", undefined, undefined, 12, "2025-12-01", "2026-11-01", "2026-11-30"],
    ["day", "2024-02-28", "2024-03-01", 3, "2024-02-28", "2024-03-01", "2024-03-01"],
    ["week", "2026-11-22", "2026-11-23", 2, "2026-11-16", "2026-11-23", "2026-11-29"],
    ["week", "2026-11-16", "2026-11-16", 1, "2026-11-16", "2026-11-16", "2026-11-22"],
    ["month", "2025-12-31", "2026-02-01", 3, "2025-12-01", "2026-02-01", "2026-02-28"],
    ["month", "1993-08-15", undefined, 400, "1993-08-01", "2026-11-01", "2026-11-30"],
    ["day", undefined, "2026-01-10", 30, "2025-12-12", "2026-01-10", "2026-01-10"],
  ] as const)(
    "the periods by %s from %s to %s have the expected number, start and end",
    (interval, from, to, count, first, last, lastDay) => {
      const { starts, lastDay: end } = periodsOf({ interval, from, to }, now);
      expect([starts.length, starts[0], starts.at(-1), end]).toEqual([count, first, last, lastDay]);
      expect(starts).toEqual(starts.toSorted());
    },
  );

  it.each([
    ["day", "2025-10-18", undefined, "too_many", "from"],
    ["month", "1993-07-31", undefined, "too_many", "from"],
    ["day", "2026-11-02", "2026-11-01", "conflicts", "to"],
    ["month", "2026-11-23", undefined, "conflicts", "from"],
  ] as const)("the periods by %s from %s to %s are refused", (interval, from, to, code, parameter) => {
    expect(() => periodsOf({ interval, from, to }, now)).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        errors: [expect.objectContaining({ code, parameter }) as unknown],
      }) as Error,
    );
  });
});

describe("the points of a series", () => {
  const starts = ["2026-11-01", "2026-11-02", "2026-11-03"];
  const rows = [
    ["2026-11-03", { left: 1, churned_cents: -500, refunded_cents: 9 }],
    ["2026-10-01", { joined: 3, left: 1, new_cents: 700, reactivated_cents: 300 }],
    ["2026-11-01", { joined: 2, paid_cents: 80 }],
  ] as const;
  it.each([
    ["members", [4, 4, 3]],
    ["mrr", [1_000, 1_000, 500]],
  ] as const)("a point of the metric %s is the value at the end of its period", (metric, values) => {
    expect(pointsOf(metric, starts, rows)).toEqual(starts.map((at, n) => ({ at, value: values[n] })));
  });
  it.each<[Metric, number[]]>([
    ["joined", [2, 0, 0]],
    ["left", [0, 0, 1]],
    ["gross", [80, 0, 0]],
    ["refunded", [0, 0, 9]],
  ])("a point of the metric %s is the sum of its period", (metric, values) => {
    expect(
      pointsOf(
        metric,
        starts,
        rows.filter(([on]) => on >= "2026-11-01"),
      ).map(({ value }) => value),
    ).toEqual(values);
  });
});

it("the sums of a month are the totals of its days, and sums of 0 are left out", () => {
  const days = addDays(
    { "2026-11-01": { joined: 1, left: 1 }, "2026-11-30": { left: 2 } },
    { "2026-11-01": { joined: -1 } },
  );
  expect(days).toEqual({ "2026-11-01": { left: 1 }, "2026-11-30": { left: 2 } });
  expect(byMonth({ ...days, "2026-12-01": { left: 4 } })).toEqual({ "2026-11": { left: 3 }, "2026-12": { left: 4 } });
});

it.each(sumNames)(
  "of the sum %s, the days from the first one are kept, and the days before it only if it is no money",
  (name) => {
    const isMoney = ["paid_cents", "refunded_cents", "disputed_cents"].includes(name);
    const days = { "2026-10-31": { [name]: 5 }, "2026-11-01": { [name]: 7 }, "2026-11-02": { [name]: 9 } };
    const { "2026-10-31": before, ...since } = days;
    expect(withoutMoneyBefore(days, "2026-11-01")).toEqual({ ...(!isMoney && { "2026-10-31": before }), ...since });
  },
);
