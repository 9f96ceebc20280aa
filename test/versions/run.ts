import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../../tools/build/build.ts";
import { command, run } from "../../tools/command.ts";
import { baseOf, buildOf, forgetWorktrees, halfOf, testsOf } from "./base.ts";
import { changedFunctions, mix, type Readers } from "./mix.ts";

const program = command(
  "npx node test/versions/run.ts",
  "Lets the functions of this version and of an earlier one serve the same table, and runs the tests of the API that both versions have.",
)
  .option("--base <commit>", "The earlier version (default: the newest release, a tag v…, or else HEAD~20)")
  .option(
    "--all",
    "Run each file twice, once with each version reading. By default, the earlier version reads in one half of the files and this one in the other, and which half depends on the commit.",
  )
  .action(async ({ base: given, all = false }: { readonly base?: string; readonly all?: boolean }) => {
    const base = baseOf(given);
    if (base === undefined)
      return console.error("NOT TESTED: two versions on one table, as there is no earlier commit");
    const folder = mkdtempSync(join(tmpdir(), "odis-versions-"));
    try {
      await buildIfStale();
      const older = buildOf(base, join(folder, "worktree"));
      const functions = changedFunctions(older, "dist");
      if (functions.length === 0)
        return console.error(`NOT TESTED: two versions on one table, as no function differs from ${base}`);
      const { unchanged, changed } = testsOf(base);
      console.log(`${functions.length} functions differ from ${base}: ${functions.join(", ")}`);
      console.log(`Not run, as they changed: ${changed.join(", ") || "none"}`);
      for (const readers of ["older", "newer"] satisfies Readers[]) {
        const mixed = join(folder, readers);
        mix(older, "dist", mixed, readers);
        const files = all ? unchanged : halfOf(unchanged, readers);
        console.log(`The ${readers} version reads, and both write, in ${files.length} files`);
        const { status } = spawnSync("vitest", ["run", "--config", "test/versions/vitest.config.ts", ...files], {
          stdio: "inherit",
          env: { ...process.env, MIXED_BUILD: mixed },
        });
        process.exitCode ||= status ?? 1;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
      forgetWorktrees();
    }
  });

await run(program);
