import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { differences } from "../../../tools/build/repeatable.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "odis-builds-"));
  mkdirSync(join(folder, "a/members/list"), { recursive: true });
  mkdirSync(join(folder, "a/site/docs"), { recursive: true });
  writeFileSync(join(folder, "a/members/list/index.mjs"), "export {}");
  writeFileSync(join(folder, "a/site/docs/index.html"), "<!doctype html>");
  cpSync(join(folder, "a"), join(folder, "b"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const found = () => differences(join(folder, "a"), join(folder, "b"));
const bundle = "members/list/index.mjs";

it("two builds with the same files are alike", () => {
  expect(found()).toEqual([]);
});

it("a byte that differs is found, and a file that only one has", () => {
  writeFileSync(join(folder, "b", bundle), "export { }");
  writeFileSync(join(folder, "b/site/new.html"), "");
  expect(found()).toEqual([`${bundle} differs between two builds`, "site/new.html differs between two builds"]);
});

it("the path of the repository is found in a bundle", () => {
  for (const build of ["a", "b"]) writeFileSync(join(folder, build, bundle), `"${process.cwd()}/lib"`);
  expect(found()).toEqual([`${bundle} holds the path of this repository`]);
});
