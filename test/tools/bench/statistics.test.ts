import { describe, expect, it } from "vitest";
import { growthExponent, interleaved, percentile, ratioOf } from "../../../tools/bench/statistics.ts";

it.each([
  [0.5, [3, 1, 2], 2],
  [0.5, [4, 1, 3, 2], 2],
  [0.99, Array.from({ length: 100 }, (_, n) => 100 - n), 99],
  [1, [5], 5],
])("the percentile %d of %o is the nearest rank", (share, samples, expected) => {
  expect(percentile(samples, share)).toBe(expected);
});

describe("a ratio", () => {
  it("a ratio has a narrow interval if all rounds agree", () => {
    expect(ratioOf([3, 3, 3], [2, 2, 2])).toEqual({ ratio: 1.5, low: 1.5, high: 1.5 });
  });

  it("the interval of a ratio is not affected by a round that was slow for both cases", () => {
    expect(ratioOf([2, 2, 2000], [1, 1, 1000])).toEqual({ ratio: 2, low: 2, high: 2 });
  });

  it("a ratio has a wide interval if the rounds disagree", () => {
    const { ratio, low, high } = ratioOf([1, 2, 3, 4, 5, 6, 7, 8, 9], [5, 5, 5, 5, 5, 5, 5, 5, 5]);
    expect(ratio).toBe(1);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
  });
});

it.each([
  [
    "0 for constant costs",
    [
      [100, 2],
      [1000, 2],
      [10_000, 2],
    ],
    0,
  ],
  [
    "0 without costs",
    [
      [100, 0],
      [1000, 0],
    ],
    0,
  ],
  [
    "1 for linear growth",
    [
      [100, 3],
      [1000, 30],
      [10_000, 300],
    ],
    1,
  ],
  [
    "½ for a square root",
    [
      [100, 10],
      [10_000, 100],
    ],
    0.5,
  ],
] as const)("the exponent of growth is %s", (_, points, expected) => {
  expect(growthExponent(points)).toBeCloseTo(expected);
});

it("interleaved samples every case once per round and omits the warm-up rounds", async () => {
  const order: string[] = [];
  const taken = await interleaved(["a", "b", "c"], { rounds: 2, warmUp: 1 }, async (testCase, round) => {
    order.push(testCase);
    return `${testCase}${round}`;
  });
  expect(taken).toEqual([
    { testCase: "a", samples: ["a1", "a2"] },
    { testCase: "b", samples: ["b1", "b2"] },
    { testCase: "c", samples: ["c1", "c2"] },
  ]);
  for (const round of [0, 3, 6]) expect(order.slice(round, round + 3).toSorted()).toEqual(["a", "b", "c"]);
});
