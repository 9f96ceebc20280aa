import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { lean } from "../../tools/build/build.ts";

/** Options that bundle an entry as functions are bundled. */
export const bundling = (contents: string) =>
  ({
    ...lean,
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
  }) satisfies BuildOptions;

/** The exports of an entry that is bundled like functions. */
export async function imported<Exports>(contents: string): Promise<Exports> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "odis-bundle-"));
  const outfile = join(folder.path, "index.mjs");
  await build({ ...bundling(contents), outfile });
  return (await import(pathToFileURL(outfile).href)) as Exports;
}
