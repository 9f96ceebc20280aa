import { expect, it } from "vitest";
import { aroundBars } from "../../site/console/src/parts/bar-range.ts";

it("the range of a plot of bars begins half a bar before the first time and ends half a bar after the last", () => {
  expect(aroundBars(100, 300, 3)).toEqual([50, 350]);
});
