import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "./cache.ts";

/**
 * Installs packages of PyPI in a virtual environment outside the repository, unless it already exists.
 *
 * @returns its folder, with the programs in `bin`
 * @throws Error if Python with venv is missing or the packages cannot be downloaded
 */
export function pythonEnvironment(versions: Readonly<Record<string, string>>): string {
  const packages = Object.entries(versions);
  const folder = cached(packages.map(([name, version]) => `${name}-${version}`).join("-"));
  const complete = join(folder, "complete");
  if (existsSync(complete)) return folder;
  run("python3", ["-m", "venv", "--clear", folder]);
  const wanted = packages.map(([name, version]) => `${name}==${version}`);
  run(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...wanted]);
  writeFileSync(complete, "");
  return folder;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.slice(-500)}`);
}
