import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { readme } from "../../../tools/build/readme.ts";

it("README.md has the routes and events of the contract: npm run readme", async () => {
  const { current, expected } = await readme();
  expect(current).toBe(expected);
});

it.each(["README.md", "docs/operations.md"])("%s names only commands that there are", (file) => {
  const named = Array.from(readFileSync(file, "utf8").matchAll(/npm run (?:-s )?([\w:-]+)/g), ([, name]) => name);
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(named));
});
