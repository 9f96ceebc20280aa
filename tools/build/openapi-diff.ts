import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { breakingChanges } from "./openapi/breaking.ts";

const root = join(import.meta.dirname, "../..");

const program = command(
  "npm run openapi:diff --",
  "Lists the breaking changes in openapi.json since a commit, and exits with 1 if there are any.",
)
  .argument("[commit]", "Commit to compare with", "HEAD")
  .action((commit: string) => {
    const document = (text: string): object => JSON.parse(text) as object;
    const changes = breakingChanges(
      document(committed(commit)),
      document(readFileSync(join(root, "openapi.json"), "utf8")),
    );
    for (const change of changes) console.log(`breaking: ${change}`);
    console.log(`${changes.length} breaking changes since ${commit}`);
    if (changes.length > 0) process.exitCode = 1;
  });

function committed(commit: string): string {
  try {
    return execFileSync("git", ["show", `${commit}:openapi.json`], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    throw new Error(`Commit ${commit} has no openapi.json`);
  }
}

await run(program);
