import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Compiles a package to JavaScript and declarations in a new folder, and adds its published files and the license.
 *
 * @param source folder of its `tsconfig.json`, relative to the root
 * @param out output folder in the `tsconfig.json`, relative to the root
 * @returns absolute path of the new folder
 * @throws Error if the sources do not compile
 */
export function compilePackage(source: string, out: string, files: readonly string[]): string {
  const folder = join(root, out);
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--project", join(root, source)], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${source} does not compile`);
  // The compiler rewrites imports only in JavaScript files.
  for (const name of globSync("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.[^"]+)\.ts"/g, '$1.js"'));
  }
  for (const name of files) copyFileSync(join(root, source, name), join(folder, name));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}
