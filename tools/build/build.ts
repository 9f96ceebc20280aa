import { existsSync, globSync, rmSync, statSync, utimesSync, watch, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { type BuildOptions, type BuildResult, context, type Plugin } from "esbuild";
import { routes } from "#lib/contract/index.ts";
import packageJson from "../../package.json" with { type: "json" };
import { command, run } from "../command.ts";
import { entries } from "./entries.ts";
import { replacements } from "./replacements.ts";
import { buildSite } from "./site/site.ts";
import { write } from "./write.ts";

const root = join(import.meta.dirname, "../..");

/** Constants that the build writes into the functions: the one that answers 404 and 405 must not carry every route. */
export const constants = {
  // A string: of a list esbuild would make a module that every other one waits for.
  ROUTE_KEYS: JSON.stringify(
    routes
      .map(({ key }) => key)
      .filter((key) => key !== "$default")
      .join("\n"),
  ),
  VERSION: JSON.stringify(packageJson.version),
};

type Options = {
  /** With esbuild's defaults and the SDK's own clients, into `dist/stock`: what the lean bundles are measured against. */
  readonly stock?: boolean;
  /** Folder of the repository to build into, in place of `dist`. */
  readonly outdir?: string;
  /** Keeps building whenever a source changes, and is called after every build. */
  readonly onBuilt?: () => void;
};

/**
 * One esbuild run for every function: `functions/<area>/<file>.ts` → `dist/<area>/<file>/index.mjs`, which is what the
 * stack deploys, and the static site (`dist/site`). What did not change is not written, so that others may be using it.
 */
export async function build({
  stock = false,
  outdir = stock ? "dist/stock" : "dist",
  onBuilt,
}: Options = {}): Promise<{ readonly stop: () => Promise<void> }> {
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
    plugins: [...(options.plugins ?? []), entries, writing(onBuilt)],
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

/** Everything that bundles and site are made of. A directory counts as changed when a file in it came or went. */
const sources = [
  "{lib,functions,tools/build,site,client}",
  "{lib,functions,tools/build,site,client}/**",
  "openapi.json",
  "package.json",
  "node_modules/.package-lock.json",
];

/** Builds the functions and the site, unless nothing that they are made of has changed since. */
export async function buildIfStale(): Promise<void> {
  const built = statSync(join(root, "dist/meta.json"), { throwIfNoEntry: false });
  const made = [
    ...Object.keys(functions()).map((path) => `${path}.mjs`),
    "site/openapi.json",
    "site/console/index.html",
  ];
  const isThere = made.every((path) => existsSync(join(root, "dist", path)));
  const hasChanged = (path: string) => statSync(join(root, path)).ctimeMs >= (built?.mtimeMs ?? 0);
  if (!isThere || globSync(sources, { cwd: root }).some(hasChanged)) await build();
}

/** Entry points by where they go: `members/list/index` → `route:MembersList`. */
function functions(): Record<string, string> {
  const ofRoutes = routes.map(({ area, file, id }) => [`${area}/${file}/index`, `route:${id}`]);
  const triggers = globSync("functions/triggers/*.ts", { cwd: root }).map((file) => [
    `triggers/${basename(file, ".ts")}/index`,
    file,
  ]);
  return Object.fromEntries([...ofRoutes, ...triggers]) as Record<string, string>;
}

export const defaults: BuildOptions = {
  // What the SDK's CommonJS files ask for with `require` exists in an ES module only so.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
};

/**
 * `import "node:http"` runs every lazy getter of the module, undici's among them: 17 ms a cold start.
 * `process.getBuiltinModule` does not. What is imported by name is taken by name, and the rest is not looked at.
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

/** Not exported by name: the last three load undici, also where `http` is imported as a whole, as Stripe's client does. */
const unlisted = ["default", "WebSocket", "CloseEvent", "MessageEvent"];

/** Web Crypto is loaded by whoever looks at its function: here, who calls it. */
const valueOf = (name: string) =>
  name === "getRandomValues" ? `(...given) => builtin.${name}(...given)` : `/* @__PURE__ */ pick("${name}")`;

/** A built-in module as an ES module, of which esbuild keeps what is used. */
function byName(path: string): string {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(path)).filter((name) => !unlisted.includes(name));
  return `
    const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});
    const pick = (name) => builtin[name];
    export default builtin;
    ${names.map((name, n) => `const _${n} = ${valueOf(name)}; export { _${n} as "${name}" };`).join("\n")}`;
}

/** A third of the size of the defaults, and less than half of their cold start. */
export const lean: BuildOptions = {
  plugins: [builtins, replacements],
  // The SDK's ES modules can be tree-shaken, its CommonJS files cannot.
  mainFields: ["module", "main"],
  legalComments: "none",
  // So that a regular expression that nobody uses is left out. Otherwise esbuild has it made when the bundle is loaded.
  supported: { "regexp-unicode-property-escapes": true },
  // For reading stack traces offline: maps that are loaded cost 10 ms a cold start.
  sourcemap: "external",
  sourcesContent: false,
  sourceRoot: "../",
};

/** Writes what was built: the bundles alone in their folders, the maps to `maps`, the metafile to `meta.json`, last. */
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
      // What changes during the build is newer than it.
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
