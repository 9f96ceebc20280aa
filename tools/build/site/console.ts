import { basename, join } from "node:path";
import { build } from "esbuild";
import { hashed } from "../../../site/headers.ts";

const root = join(import.meta.dirname, "../../..");

type ConsoleFiles = {
  /** Contents by path in the site, such as `assets/console-5YWQ2Z3A.js`. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of the entry points by their names in the page, such as `/assets/console.js`. */
  readonly names: ReadonlyMap<string, string>;
};

/** Bundles the console (`site/console`): script, styles and chunks that are loaded on demand. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: "site/console/src/main.tsx", "console-styles": "site/console/styles/main.css" },
    tsconfig: "site/console/tsconfig.json",
    outdir: hashed,
    entryNames: "[name]-[hash]",
    chunkNames: "console-[name]-[hash]",
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
  });
  const pathOf = (file: string) => `${hashed}/${basename(file)}`;
  const names = Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[`/${hashed}/${nameOf(file)}`, `/${pathOf(file)}`] as const],
  );
  return { files: new Map(outputFiles.map(({ path, text }) => [pathOf(path), text])), names: new Map(names) };
}

/** `assets/console-5YWQ2Z3A.js` → `console.js` */
const nameOf = (file: string): string => basename(file).replace(/-[A-Z0-9]{8}(?=\.\w+$)/, "");
