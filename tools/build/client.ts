import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";

const root = join(import.meta.dirname, "../..");
const source = join(root, "client/package");

/**
 * Builds the package `@odis/client` into `dist/client`, ready for `npm pack`: the modules that `client/package/tsconfig.json`
 * names, and what they import, as JavaScript and declarations.
 *
 * @returns absolute path of the folder
 * @throws Error if the sources need anything of Node, or do not compile
 */
export function buildClient(): string {
  const folder = join(root, "dist/client");
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--project", source], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The client does not compile");
  // The compiler rewrites imports in JavaScript only.
  for (const name of globSync("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.[^"]+)\.ts"/g, '$1.js"'));
  }
  for (const name of ["package.json", "README.md", "CHANGELOG.md"])
    copyFileSync(join(source, name), join(folder, name));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

if (import.meta.main) {
  const program = command("npm run client:build", "Builds the package @odis/client into dist/client.").action(
    () => void buildClient(),
  );
  await run(program);
}
