import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin, transform } from "esbuild";

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

/** Bundles the element `<odis-club>` (`site/club`) into one script, which pages of other origins load. */
export async function clubScript(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["site/club/src/odis-club.tsx"],
    tsconfig: "site/club/tsconfig.json",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    minify: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    plugins: [stylesAsText],
  });
  return outputFiles[0]?.text ?? "";
}
