import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { defaults, lean } from "../../build/build.ts";
import { entries } from "../../build/entries.ts";
import { installTool } from "../../build/tool.ts";

const root = join(import.meta.dirname, "../../..");

/** What CDK's NodejsFunction does unless told otherwise; the runtime's SDK is the one in `node_modules`. */
const nodejsFunction: BuildOptions = {
  format: "cjs",
  external: ["@aws-sdk/*", "@smithy/*"],
  outExtension: { ".js": ".cjs" },
};

/** One ES module, minified, its SDK within: the fewest bytes that esbuild makes by itself. */
const bundled: BuildOptions = { ...defaults, format: "esm", minify: true, outExtension: { ".js": ".mjs" } };

/** Puts a table that answers from memory in the place of DynamoDB's client, which is loaded and made all the same. */
const stub: Plugin = {
  name: "stub",
  setup(esbuild) {
    esbuild.onResolve({ filter: /\/table\.ts$/ }, ({ importer }) =>
      importer.endsWith("stub-table.ts") ? undefined : { path: join(import.meta.dirname, "stub-table.ts") },
    );
  },
};

/** Bundles the SDK of the root package only, although ElectroDB installs a part of it here: all use the same one. */
const oneSdk: Plugin = {
  name: "one-sdk",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^@(aws-sdk|smithy)\// }, ({ path, kind, importer, pluginData }) =>
      pluginData === oneSdk || !importer.startsWith(import.meta.dirname)
        ? undefined
        : esbuild.resolve(path, { kind, resolveDir: root, pluginData: oneSdk }),
    );
  },
};

const odis = { odis: "route:MembersShow" };
const stubbing = (options: BuildOptions) => ({ ...options, plugins: [stub, ...(options.plugins ?? [])] });

/** Builds every peer, and our function, into `dist/peers/<how>`; `stubbed` with a table in memory. */
export async function buildPeers(): Promise<void> {
  installTool("bench/peers");
  const files = globSync("tools/bench/peers/functions/*.ts", { cwd: root });
  const peers = Object.fromEntries(files.map((file) => [basename(file, ".ts"), file]));

  await into("nodejs-function", peers, nodejsFunction);
  await into("bundled", peers, bundled);
  await into("stubbed/nodejs-function", peers, stubbing(nodejsFunction));
  await into("stubbed/bundled", peers, stubbing(bundled));
  await buildStubbed();
}

/** Builds our function with a table in memory: as it is deployed, and by esbuild's defaults. */
export async function buildStubbed(): Promise<void> {
  await into("stubbed/bundled", odis, stubbing(bundled));
  await into("stubbed/lean", odis, stubbing({ ...lean, format: "esm", minify: true, outExtension: { ".js": ".mjs" } }));
}

async function into(folder: string, entryPoints: Record<string, string>, options: BuildOptions): Promise<void> {
  await build({
    ...options,
    plugins: [...(options.plugins ?? []), oneSdk, entries],
    entryPoints,
    outdir: join("dist/peers", folder),
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
}
