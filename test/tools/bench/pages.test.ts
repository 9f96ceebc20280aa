import { expect, it } from "vitest";
import { measurePages } from "../../../tools/bench/pages.ts";

it("a page is measured with its style sheet, its script and the scripts that it loads on demand", async () => {
  const { explore, console: ofConsole } = await measurePages(["explore", "console"]);
  expect(explore.requests).toBe(3);
  // The page, its styles and script, uPlot, the import of members, and what that shares with the script.
  expect(ofConsole.requests).toBe(6);
  expect(explore.kb).toBeLessThan(ofConsole.kb);
});
