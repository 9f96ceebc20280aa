import { execFileSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Runs git. What it says of a failure is in the error. */
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Commits back from the one that is checked, where no release is tagged. */
const distance = 20;

/**
 * The commit to compare with: the one given, or the newest release before this commit (a tag `v…`), or the one 20 commits
 * back. Undefined where history is not deep enough, as in a shallow clone.
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

/** Forgets worktrees whose folders are gone. */
export const forgetWorktrees = (): string => git("worktree", "prune");

/**
 * The tests of the API that say the same in both versions, and those that do not: what a changed test asserts, one of the
 * versions does not do.
 */
export function testsOf(commit: string): { readonly unchanged: string[]; readonly changed: string[] } {
  const files = globSync("test/functions/**/*.test.ts", { cwd: root }).toSorted();
  const names = git("diff", "--name-only", commit, "--", "test/functions").split("\n");
  const added = git("ls-files", "--others", "--exclude-standard", "--", "test/functions").split("\n");
  const isChanged = (file: string) => names.includes(file) || added.includes(file);
  return { unchanged: files.filter((file) => !isChanged(file)), changed: files.filter(isChanged) };
}
