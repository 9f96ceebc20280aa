import { expect, it } from "vitest";
import { measurePages } from "../../../tools/bench/pages.ts";

it("a page is measured with its style sheet, its script and the scripts that it loads on demand", async () => {
  const { explore, console: ofConsole } = await measurePages(["explore", "console"]);
  expect(explore.requests).toBe(3);
  expect(ofConsole.requests).toBe(4);
  expect(explore.kb).toBeLessThan(ofConsole.kb);
});
