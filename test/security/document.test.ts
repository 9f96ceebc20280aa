import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const text = readFileSync("docs/security.md", "utf8");
const table = /<!-- requirements -->\n(.*)<!-- \/requirements -->/s.exec(text)?.[1] ?? "";

/** Returns the rows of the table of requirements, without its header. */
const rows = table
  .trim()
  .split("\n")
  .slice(2)
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, section = "", requirement = "", met = "", shown = ""]) => ({ section, requirement, met, shown }));

/** The chapters of ASVS 5.0 that apply to an API. */
const chapters = ["V1", "V2", "V4", "V6", "V7", "V8", "V9", "V11", "V12", "V13", "V14", "V15", "V16"];

it("docs/security.md has requirements of every chapter of ASVS that applies, in their order", () => {
  expect([...new Set(rows.map(({ section }) => section.split(".")[0]))]).toEqual(chapters);
});

it.each(rows)("$section $requirement: names its implementation and an existing test, or is open", ({ met, shown }) => {
  if (shown.startsWith("Open: ")) return expect(met).toBe("–");
  expect(met).toMatch(/\]\(/);
  const tests = Array.from(shown.matchAll(/\]\(([^)]+)\)/g), ([, path = ""]) => join("docs", path));
  expect(tests.length).toBeGreaterThan(0);
  for (const path of tests) {
    expect(path).toMatch(/^test\/.*\.test\.ts$/);
    expect(readFileSync(path, "utf8")).toMatch(/\bit(\.each)?\(/);
  }
});
