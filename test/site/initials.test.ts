import { expect, it } from "vitest";
import { hueOf, initialsOf } from "../../site/console/src/data/initials.ts";

it("a community without a picture has initials, and the hues of consecutive ids are far apart", () => {
  expect(["Mezcal Circle", "peat & smoke", "Öl", "🌵 Agave"].map(initialsOf)).toEqual(["MC", "P&", "Ö", "🌵A"]);
  for (let id = 1; id < 1000; id++) {
    const distance = Math.abs(hueOf(id) - hueOf(id + 1));
    expect(Math.min(distance, 360 - distance)).toBeGreaterThan(100);
  }
});
