import { command, run } from "../command.ts";
import { compilePackage } from "./package.ts";

/**
 * Builds the package `@odis/client` into `dist/client`, ready for `npm pack`: the modules in
 * `client/package/tsconfig.json` and their imports, as JavaScript and declarations.
 *
 * @returns absolute path of the folder
 * @throws Error if the sources use anything of Node.js or do not compile
 */
export const buildClient = (): string =>
  compilePackage("client/package", "dist/client", ["package.json", "README.md", "CHANGELOG.md"]);

if (import.meta.main) {
  const program = command("npm run client:build", "Builds the package @odis/client into dist/client.").action(
    () => void buildClient(),
  );
  await run(program);
}
