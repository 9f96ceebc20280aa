import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Plugin, transform } from "esbuild";
import { hashed } from "../../../site/headers.ts";

const root = join(import.meta.dirname, "../../..");

/** Makes an imported style sheet a string with its minified text. */
const stylesAsText: Plugin = {
  name: "styles-as-text",
  setup(running) {
    running.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

/** What a page with the element loads at once, and what is loaded when somebody opens their account. */
type ClubFiles = {
  /** Contents by path in the site, such as `odis-club.js`. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of the scripts that are loaded on demand. */
  readonly later: readonly string[];
};

/**
 * Bundles the element `<odis-club>` (`site/club`), which pages of other origins load. The scripts import each other by
 * addresses that are relative to their own.
 */
export async function clubFiles(): Promise<ClubFiles> {
  const outdir = join(root, "dist/site");
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["site/club/src/odis-club.tsx"],
    tsconfig: "site/club/tsconfig.json",
    outdir,
    chunkNames: `${hashed}/odis-club-[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    minify: true,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    plugins: [stylesAsText],
  });
  const pathOf = (file: string) => relative(outdir, join(root, file));
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    files: new Map(outputFiles.map(({ path, text }) => [relative(outdir, path), text])),
    later: imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => pathOf(path)),
  };
}
