import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import standInJson from "../../../packages/stripe-stand-in/package.json" with { type: "json" };
import { documents } from "../../../tools/build/tables.ts";

it("docs/ has the tables that npm run docs generates from the code", async () => {
  const outdated = (await documents()).filter(({ current, expected }) => current !== expected);
  expect(outdated).toEqual([]);
});

const texts = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"]);

/** The text of a document without code blocks, in which `#` and brackets have another meaning. */
const proseOf = (file: string): string => readFileSync(file, "utf8").replaceAll(/^```.*?^```$/gms, "");

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const headingsOf = (file: string): string[] =>
  Array.from(proseOf(file).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => heading);

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");

/**
 * Returns the paths in code style that look like files of the repository: they begin with one of its folders or have a
 * known file extension.
 */
function citedPaths(file: string): string[] {
  const folders = new Set(tracked.map((path) => path.split("/")[0]));
  const cited = Array.from(proseOf(file).matchAll(/`([\w.-]+(?:\/[\w.-]+)*)\/?`/g), ([, path = ""]) => path);
  const isFile = (path: string) => /\.(ts|md|json|yaml)$/.test(path) || path.startsWith(".ci/");
  return cited.filter((path) => isFile(path) || (path.includes("/") && folders.has(path.split("/")[0])));
}

/** Files that commands write and that are not committed. */
const generated = [
  ".odis/local.json",
  ".odis/try-on-aws.json",
  "cdk.out/outputs.json",
  "stages/sandbox.json",
  "stages/prod.json",
  "settings.json",
];

describe.each(texts)("%s", (file) => {
  it(`${file} cites only files and folders that exist`, () => {
    const exists = (path: string) =>
      existsSync(join(dirname(file), path)) ||
      tracked.some((one) => one === path || one.startsWith(`${path}/`) || one.endsWith(`/${path}`));
    expect(citedPaths(file).filter((path) => !exists(path) && !generated.includes(path))).toEqual([]);
  });

  it(`${file} names only npm scripts that exist`, () => {
    const calls = readFileSync(file, "utf8").matchAll(/npm run (?:-s )?([\w:-]+)( --workspace stripe-stand-in)?/g);
    const missing = Array.from(calls).filter(([, name = "", workspace]) => {
      const isOfPackage = Object.hasOwn(standInJson.scripts, name);
      if (workspace !== undefined) return !isOfPackage;
      return !Object.hasOwn(packageJson.scripts, name) && !(isOfPackage && file.startsWith("packages/"));
    });
    expect(missing.map(([call]) => call)).toEqual([]);
  });

  it(`${file} links only to files and headings that exist`, () => {
    const targets = Array.from(proseOf(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, target = ""]) => target);
    const broken = targets.filter((target) => {
      const [path = "", anchor] = target.split("#");
      const linked = path === "" ? file : join(dirname(file), path);
      if (!existsSync(linked)) return true;
      return anchor !== undefined && !headingsOf(linked).map(anchorOf).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

it.each(globSync("docs/decisions/*.md"))("%s has a date, a status and the sections of a decision", (file) => {
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# .+\n\nDate: \d{4}-\d\d-\d\d\. Status: accepted[.,]/);
  const sections = ["Context", "Decision", "Consequences", "When to revisit"];
  expect(Array.from(text.matchAll(/^## (.+)$/gm), ([, name]) => name)).toEqual(sections);
});

it("every section of docs/api.md that a comment cites exists", () => {
  const files = globSync("{client,functions,infra,lib,packages,test,tools}/**/*.ts", {
    exclude: (path) => path.includes("node_modules"),
  });
  const cited = files.flatMap((file) => {
    const text = readFileSync(file, "utf8").replaceAll(/\n\s*\* /g, " ");
    return Array.from(
      text.matchAll(/`docs\/api\.md`, section (\d+)(?:, "([^"]+)")?(?: and "([^"]+)")?/g),
      ([, section = "", ...names]) => ({ file, section, names: names.filter((name) => name !== undefined) }),
    );
  });
  const sections = sectionsOf(readFileSync("docs/api.md", "utf8"));
  const missing = cited.filter(({ section, names }) => {
    const headings = sections.get(section);
    return headings === undefined || names.some((name) => !headings.includes(name));
  });
  expect(cited.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

/** The third-level headings of each numbered section. */
function sectionsOf(text: string): Map<string, string[]> {
  const sections = text.split(/^## /m).map((section): [string, string[]] => {
    const number = /^(\d+)\. /.exec(section)?.[1] ?? "";
    return [number, Array.from(section.matchAll(/^### (.+)$/gm), ([, heading = ""]) => heading)];
  });
  return new Map(sections);
}
