import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Installs a package under `tools/` with `npm ci`, unless its `node_modules` is newer than its lock file. These
 * packages have the dependencies of single commands, so that the root `npm ci` does not download them.
 *
 * @param name folder of the package, relative to `tools/`
 * @returns absolute path of the folder
 * @throws Error if `npm ci` fails
 */
export function installTool(name: string): string {
  const folder = join(import.meta.dirname, "..", name);
  const changedAt = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes `node_modules/.package-lock.json` last, so its time is that of the completed installation.
  if (changedAt("node_modules/.package-lock.json") >= changedAt("package-lock.json")) return folder;
  console.error(`Installing tools/${name}`);
  // `NODE_ENV` can be `production`. Standard output belongs to the command that needs the package.
  const { status } = spawn("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error(`npm ci failed in tools/${name}`);
  return folder;
}

/**
 * Installs a package under `tools/` if necessary, and runs one of its programs in the current directory.
 *
 * @returns exit code of the program
 */
export function runTool(name: string, program: string, args: readonly string[]): number {
  const PATH = [join(installTool(name), "node_modules/.bin"), process.env.PATH].join(delimiter);
  return spawn(program, args, { stdio: "inherit", env: { ...process.env, PATH } }).status ?? 1;
}

/** On Windows, the programs of npm packages are batch files, which only a shell runs. */
const spawn = (program: string, args: readonly string[], options: object) =>
  spawnSync(program, args, { shell: process.platform === "win32", ...options });

/** `node tools/build/tool.ts <package> [<program> [arguments]]`: installs a package and runs one of its programs. */
if (import.meta.main) {
  const [name = "", program, ...args] = process.argv.slice(2);
  if (program === undefined) installTool(name);
  else process.exitCode = runTool(name, program, args);
}
