import { describe, expect, it } from "vitest";
import { centsOf } from "../../site/console/src/format.ts";

describe("amounts and dates in the console", () => {
  it("an amount may be typed with a point or a comma, and the cents are never read as dollars", () => {
    const typed = { "12.50": 1250, "12,50": 1250, "7.5": 750, $1200: 120_000, "1,200": 120_000, "1.200,50 $": 120_050 };
    for (const [text, cents] of Object.entries({ ...typed, "0": 0, " $ 1,234,567.89 ": 123_456_789, US$3: 300 }))
      expect({ text, cents: centsOf(text) }).toEqual({ text, cents });
    for (const text of ["", "1.200", "1,20,000", "12.345", "-1", "1,200,50", "twelve", "1e3", "1.2.3"])
      expect({ text, cents: centsOf(text) }).toEqual({ text, cents: undefined });
  });
});
