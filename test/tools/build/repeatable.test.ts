import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync("dist/again-");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The deployed files of a build: all bundles and files of the site. */
function filesOf(name: string, env: Readonly<Record<string, string>>): Map<string, Buffer> {
  const outdir = join(folder, name);
  execFileSync(process.execPath, ["tools/build/build.ts", "--outdir", outdir], { env: { ...process.env, ...env } });
  const paths = globSync(["*/*/index.mjs", "site/**/*.*"], { cwd: outdir }).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(join(outdir, path))]));
}

it("builds in two processes with other time zones and languages are identical and contain no local paths", () => {
  const first = filesOf("first", { TZ: "UTC", LANG: "C.UTF-8" });
  const second = filesOf("second", { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8" });
  expect(first.size).toBeGreaterThan(50);
  expect([...second.keys()]).toEqual([...first.keys()]);
  expect([...first].filter(([path, bytes]) => !second.get(path)?.equals(bytes)).map(([path]) => path)).toEqual([]);
  expect([...first].filter(([, bytes]) => bytes.includes(process.cwd())).map(([path]) => path)).toEqual([]);
});
