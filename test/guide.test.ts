import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { excerpts, links, quickStart } from "./support/guide.ts";

/** Code without its indentation, which differs where an excerpt is nested. */
const flat = (code: string): string => code.replaceAll(/^\s+/gm, "").trim();

it.each(excerpts())("the guide quotes $file as it is", ({ file, code }) => {
  expect(flat(readFileSync(file, "utf8"))).toContain(flat(code));
});

it("the guide has excerpts, and commands that package.json knows", () => {
  expect(excerpts().length).toBeGreaterThan(5);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const named = quickStart().flatMap((line) => /^npm (?:run )?(?!ci)(\S+)/.exec(line)?.[1] ?? []);
  expect(named).toEqual(["start", "example"]);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it("every link of the guide leads to a file of the repository", () => {
  const paths = links().map((target) => join("docs", target.replace(/#.*$/, "")));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
