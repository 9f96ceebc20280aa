import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { compilePackage } from "./package.ts";

/**
 * Builds the package `stripe-stand-in` into `dist/stripe-stand-in`, ready for `npm pack`, as JavaScript and
 * declarations: Node does not run TypeScript in `node_modules`.
 *
 * @returns absolute path of the folder
 * @throws Error if the sources do not compile
 */
export function buildStandIn(): string {
  const folder = compilePackage("packages/stripe-stand-in", "dist/stripe-stand-in", ["package.json", "README.md"]);
  const file = join(folder, "package.json");
  const text = readFileSync(file, "utf8").replaceAll(/"\.\/src\/(.+)\.ts"/g, '"./$1.js"');
  const manifest = JSON.parse(text) as Record<string, unknown>;
  Object.assign(manifest, { private: undefined, scripts: undefined, devDependencies: undefined });
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

if (import.meta.main) {
  const program = command(
    "npm run build --workspace stripe-stand-in",
    "Builds the package stripe-stand-in into dist/stripe-stand-in.",
  ).action(() => void buildStandIn());
  await run(program);
}
