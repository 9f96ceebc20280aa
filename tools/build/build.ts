import { existsSync, globSync, rmSync, statSync, utimesSync, watch, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { type BuildOptions, type BuildResult, context, type Plugin } from "esbuild";
import { routes } from "#lib/contract/index.ts";
import { version } from "../../site/deployment-info.ts";
import { command, run } from "../command.ts";
import { eager } from "./eager.ts";
import { entries } from "./entries.ts";
import { replacements } from "./replacements.ts";
import { buildSite } from "./site/site.ts";
import { write } from "./write.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Constants that the build writes into the functions, so that the function for 404 and 405 need not include every
 * route.
 */
export const constants = {
  // A string, because esbuild would turn a list into a module that every other module waits for.
  ROUTE_KEYS: JSON.stringify(
    routes
      .map(({ key }) => key)
      .filter((key) => key !== "$default")
      .join("\n"),
  ),
  VERSION: JSON.stringify(version),
};

type BuildSettings = {
  /**
   * Whether to build with esbuild's defaults and the full SDK clients into `dist/stock`, for comparison with the
   * deployed bundles.
   */
  readonly stock?: boolean;
  /** Output folder in the repository. Default: `dist`. */
  readonly outdir?: string;
  /** Rebuilds whenever a source changes, and is called after each build. */
  readonly onBuilt?: () => void;
};

/**
 * Builds every function (`functions/<area>/<file>.ts` → `dist/<area>/<file>/index.mjs`) and the static site
 * (`dist/site`) in one run of esbuild. Writes only files that have changed, because others may be in use.
 */
export async function build({
  stock = false,
  outdir = stock ? "dist/stock" : "dist",
  onBuilt,
}: BuildSettings = {}): Promise<{ readonly stop: () => Promise<void> }> {
  const options = stock ? defaults : lean;
  const running = await context({
    ...options,
    absWorkingDir: root,
    entryPoints: functions(),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
    define: constants,
    metafile: true,
    write: false,
    logLevel: "warning",
    plugins: [...(options.plugins ?? []), entries, stock || onBuilt ? [] : eager, writing(onBuilt)].flat(),
  });
  if (!stock) await buildSite(outdir);
  await running.rebuild();
  if (!onBuilt) {
    await running.dispose();
    return { stop: async () => {} };
  }
  await running.watch();
  const watchingSite = watch(join(root, "site"), { recursive: true }, () => void buildSite().catch(console.error));
  return {
    stop: async () => {
      watchingSite.close();
      await running.dispose();
    },
  };
}

/**
 * The sources of the bundles and the site. Includes directories, whose modification time changes when a file is added
 * or removed.
 */
const sources = [
  "{lib,functions,tools/build,site,client}",
  "{lib,functions,tools/build,site,client}/**",
  "docs/{guide,api}.md",
  "openapi.json",
  "package.json",
  "node_modules/.package-lock.json",
];

/** Builds the functions and the site if a source has changed since the last build. */
export async function buildIfStale(): Promise<void> {
  const built = statSync(join(root, "dist/meta.json"), { throwIfNoEntry: false });
  const made = [
    ...Object.keys(functions()).map((path) => `${path}.mjs`),
    "site/openapi.json",
    "site/odis-club.js",
    "site/console/index.html",
  ];
  const isThere = made.every((path) => existsSync(join(root, "dist", path)));
  const hasChanged = (path: string) => statSync(join(root, path)).ctimeMs >= (built?.mtimeMs ?? 0);
  if (!isThere || globSync(sources, { cwd: root }).some(hasChanged)) await build();
}

/** Entry points by output path: `members/list/index` → `route:MembersList`. */
function functions(): Record<string, string> {
  const ofRoutes = routes.map(({ area, file, id }) => [`${area}/${file}/index`, `route:${id}`]);
  const triggers = globSync("functions/triggers/*.ts", { cwd: root }).map((file) => [
    `triggers/${basename(file, ".ts")}/index`,
    file,
  ]);
  return Object.fromEntries([...ofRoutes, ...triggers]) as Record<string, string>;
}

export const defaults: BuildOptions = {
  // An ES module has no `require`, which the SDK's CommonJS files need.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
};

/**
 * Replaces imports of built-in modules. `import "node:http"` evaluates every lazy getter of the module, including
 * undici's, which takes 17 ms per cold start. `process.getBuiltinModule` does not. Only the imported names are read.
 */
const builtins: Plugin = {
  name: "builtins",
  setup(esbuild) {
    const names = builtinModules.map((name) => name.replaceAll(/[/.]/g, "\\$&")).join("|");
    esbuild.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) => ({
      path: path.replace(/^(node:)?/, "node:"),
      namespace: kind === "import-statement" ? "imported" : "required",
      sideEffects: false,
    }));
    esbuild.onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
    esbuild.onLoad({ filter: /./, namespace: "imported" }, ({ path }) => ({ contents: byName(path) }));
  },
};

/**
 * Names that are not exported. Reading the last three would load undici, even if a file imports `http` as a whole, as
 * Stripe's client does.
 */
const unlisted = ["default", "WebSocket", "CloseEvent", "MessageEvent"];

/**
 * Whether a function is read only when it is called. Reading one of Web Crypto loads Web Crypto. Every function checks API
 * keys with one of `zlib`, but most requests have none.
 */
const isLazy = (path: string, name: string): boolean =>
  name === "getRandomValues" || (path === "node:zlib" && /^[a-z]/.test(name) && name !== "constants");

const valueOf = (path: string, name: string) =>
  isLazy(path, name)
    ? `(...given) => process.getBuiltinModule(${JSON.stringify(path)}).${name}(...given)`
    : `/* @__PURE__ */ pick("${name}")`;

/** Returns a built-in module as an ES module whose unused exports esbuild can remove. */
function byName(path: string): string {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(path)).filter((name) => !unlisted.includes(name));
  return `
    const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});
    const pick = (name) => builtin[name];
    export default builtin;
    ${names.map((name, n) => `const _${n} = ${valueOf(path, name)}; export { _${n} as "${name}" };`).join("\n")}`;
}

/** Options for small bundles: a third of the default size, and less than half of the cold start. */
export const lean: BuildOptions = {
  plugins: [builtins, replacements],
  // esbuild can tree-shake the SDK's ES modules and not its CommonJS files.
  mainFields: ["module", "main"],
  legalComments: "none",
  // Lets esbuild remove unused regular expressions. Otherwise they are compiled when the bundle is loaded.
  supported: { "regexp-unicode-property-escapes": true },
  // Maps for reading stack traces offline. Loading them would take 10 ms per cold start.
  sourcemap: "external",
  sourcesContent: false,
  sourceRoot: "../",
};

/** Writes the build: each bundle in its own folder, the maps in `maps`, and finally the metafile `meta.json`. */
const writing = (onBuilt = () => {}): Plugin => ({
  name: "writing",
  setup(esbuild) {
    const folder = join(root, esbuild.initialOptions.outdir ?? "");
    let startedAt = new Date();
    esbuild.onStart(() => {
      startedAt = new Date();
    });
    esbuild.onEnd(({ errors, outputFiles = [], metafile }: BuildResult) => {
      if (errors.length > 0) return;
      for (const { path, contents } of outputFiles)
        write(join(folder, path.endsWith(".map") ? "maps" : "", relative(folder, path)), contents);
      const built = new Set(outputFiles.map(({ path }) => relative(folder, path)));
      for (const stale of globSync("*/*/index.mjs", { cwd: folder }).filter((path) => !built.has(path)))
        rmSync(join(folder, dirname(stale)), { recursive: true });
      writeFileSync(join(folder, "meta.json"), JSON.stringify(metafile));
      // Sets the modification time of the metafile to the start of the build, so that sources that change during the
      // build are newer.
      utimesSync(join(folder, "meta.json"), startedAt, startedAt);
      onBuilt();
    });
  },
});

if (import.meta.main) {
  const program = command("npm run build --", "Builds the functions and the site.")
    .option("--outdir <folder>", "Folder of the repository to build into", "dist")
    .action(async (options: { readonly outdir: string }) => void (await build(options)));
  await run(program);
}
