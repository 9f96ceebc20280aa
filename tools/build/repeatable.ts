import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { build } from "./build.ts";

const root = join(import.meta.dirname, "../..");
const again = "dist/again";

/** What is deployed: each bundle, and every file of the site. */
const deployed = ["*/*/index.mjs", "site/**/*.*"];

/** Files that two folders do not have alike, and those that hold the path of this repository. */
export function differences(first: string, second: string): string[] {
  const [files, others] = [first, second].map((cwd) => globSync(deployed, { cwd }).toSorted());
  const paths = [...new Set([...(files ?? []), ...(others ?? [])])];
  const contentsOf = (folder: string, path: string) => {
    try {
      return readFileSync(join(folder, path));
    } catch {
      return undefined;
    }
  };
  return paths.flatMap((path) => {
    const [one, other] = [contentsOf(first, path), contentsOf(second, path)];
    if (!one || !other || !one.equals(other)) return [`${path} differs between two builds`];
    return one.includes(root) ? [`${path} holds the path of this repository`] : [];
  });
}

const program = command(
  "npm run check:repeatable",
  "Builds twice, in two processes and time zones, and fails if the deployed files differ by a single byte.",
).action(async () => {
  await build();
  const script = [join(root, "tools/build/build.ts"), "--outdir", again];
  const env = { ...process.env, TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8" };
  const { status } = spawnSync(process.execPath, script, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) throw new Error("The second build failed");
  const found = differences(join(root, "dist"), join(root, again));
  rmSync(join(root, again), { recursive: true });
  for (const one of found) console.error(one);
  if (found.length > 0) process.exitCode = 1;
  else console.log("Two builds are the same.");
});

if (import.meta.main) await run(program);
