import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { breakingChanges } from "./openapi/breaking.ts";

/** `npm run openapi:diff [-- <commit>]`: what of openapi.json breaks callers of the commit, the last one unless told. */
const [commit = "HEAD"] = process.argv.slice(2);
const root = join(import.meta.dirname, "../..");
const committed = execFileSync("git", ["show", `${commit}:openapi.json`], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 2 ** 26,
});
const document = (text: string): object => JSON.parse(text) as object;
const changes = breakingChanges(document(committed), document(readFileSync(join(root, "openapi.json"), "utf8")));

for (const change of changes) console.log(`breaking: ${change}`);
console.log(`${changes.length} breaking changes since ${commit}`);
if (changes.length > 0) process.exitCode = 1;
