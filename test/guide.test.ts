import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { excerpts, quickStart, shellBlocks } from "./support/guide.ts";

/** Code without its indentation, which differs where an excerpt is nested. */
const flat = (code: string): string => code.replaceAll(/^\s+/gm, "").trim();

it.each(excerpts())("the guide quotes $file unchanged", ({ file, code }) => {
  expect(flat(readFileSync(file, "utf8"))).toContain(flat(code));
});

it("the guide has excerpts, and only commands of package.json", () => {
  expect(excerpts().length).toBeGreaterThan(5);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const named = quickStart().flatMap((line) => /^npm (?:run )?(?!ci)(\S+)/.exec(line)?.[1] ?? []);
  expect(named).toEqual(["start", "example"]);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it("every shell block of the guide sets the variables that it uses", () => {
  const blocks = shellBlocks();
  expect(blocks.length).toBeGreaterThan(4);
  for (const block of blocks) {
    const used = Array.from(block.matchAll(/\$(\w+)/g), ([, name = ""]) => name);
    expect(used.filter((name) => !new RegExp(`^${name}=`, "m").test(block))).toEqual([]);
  }
});
