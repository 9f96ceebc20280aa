import { execFileSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Readers } from "./mix.ts";

const root = join(import.meta.dirname, "../..");
/** Runs git. The message of a thrown error contains git's output. */
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** How many commits to go back if no release is tagged. */
const distance = 20;

/**
 * Returns the commit to compare with: the given one, or the newest release before this commit (a tag `v…`), or the
 * commit 20 commits back. Undefined if the history is too short, as in a shallow clone.
 */
export function baseOf(given?: string): string | undefined {
  for (const find of [
    () => git("rev-parse", "--verify", "--quiet", `${given ?? "refs/none"}^{commit}`),
    () => git("rev-list", "-1", git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD~1")),
    () => git("rev-parse", "--verify", "--quiet", `HEAD~${distance}`),
  ])
    try {
      return find();
    } catch {
      if (given !== undefined) throw new Error(`There is no commit ${given}`);
    }
  return undefined;
}

/** Checks a commit out into a folder and builds its functions there. @returns the build */
export function buildOf(commit: string, folder: string): string {
  git("worktree", "add", "--detach", "--force", folder, commit);
  const lockOf = (path: string) => readFileSync(join(path, "package-lock.json"), "utf8");
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit" });
  execFileSync(process.execPath, ["tools/build/build.ts"], { cwd: folder, stdio: "inherit" });
  return join(folder, "dist");
}

/** Removes worktrees whose folders no longer exist. */
export const forgetWorktrees = (): string => git("worktree", "prune");

/** Tests of who may call, of errors, log lines and secrets, none of which depends on what another version has stored. */
const withoutRecords = ["every-route", "logs", "roles", "rotation"].map((name) => `test/functions/${name}.test.ts`);

/**
 * Returns the tests of the API that are the same in both versions, and those that have changed. A changed test fails
 * for one of the versions.
 */
export function testsOf(commit: string): { readonly unchanged: string[]; readonly changed: string[] } {
  const files = globSync("test/functions/**/*.test.ts", { cwd: root })
    .filter((file) => !withoutRecords.includes(file))
    .toSorted();
  const names = git("diff", "--name-only", commit, "--", "test/functions").split("\n");
  const added = git("ls-files", "--others", "--exclude-standard", "--", "test/functions").split("\n");
  const isChanged = (file: string) => names.includes(file) || added.includes(file);
  return { unchanged: files.filter((file) => !isChanged(file)), changed: files.filter(isChanged) };
}

/** Returns every other file. Which half it is depends on the version that reads and on the hash of the commit. */
export function halfOf(files: readonly string[], readers: Readers): string[] {
  const rest = (Number.parseInt(git("rev-parse", "HEAD").slice(0, 1), 16) + (readers === "older" ? 1 : 0)) % 2;
  return files.filter((_, at) => at % 2 === rest);
}
