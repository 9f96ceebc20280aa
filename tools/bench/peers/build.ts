import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { defaults, lean } from "../../build/build.ts";
import { eager } from "../../build/eager.ts";
import { entries } from "../../build/entries.ts";
import { installTool } from "../../build/tool.ts";
import { write } from "../../build/write.ts";

const root = join(import.meta.dirname, "../../..");

/** The defaults of CDK's NodejsFunction. `node_modules` provides the SDK in place of Lambda's runtime. */
const nodejsFunction: BuildOptions = {
  format: "cjs",
  external: ["@aws-sdk/*", "@smithy/*"],
  outExtension: { ".js": ".cjs" },
};

/** One minified ES module that includes the SDK: esbuild's smallest output without replacements. */
const bundled: BuildOptions = { ...defaults, format: "esm", minify: true, outExtension: { ".js": ".mjs" } };

/** Replaces the commands of DynamoDB's client with responses from memory. The client is still loaded and created. */
const stub: Plugin = {
  name: "stub",
  setup(esbuild) {
    esbuild.onResolve({ filter: /\/table\.ts$/ }, ({ importer }) =>
      importer.endsWith("stub-table.ts") ? undefined : { path: join(import.meta.dirname, "stub-table.ts") },
    );
  },
};

const odis = { odis: "route:MembersShow" };
const stubbing = (options: BuildOptions) => ({ ...options, plugins: [stub, ...(options.plugins ?? [])] });

/**
 * Builds each peer and the function of Odis into `dist/peers/<variant>`. The variant `stubbed` has a table in memory.
 */
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

/** Builds the function of Odis with a table in memory: as deployed and with esbuild's defaults. */
export async function buildStubbed(): Promise<void> {
  await into("stubbed/bundled", odis, stubbing(bundled));
  const asDeployed: BuildOptions = { ...lean, format: "esm", minify: true, outExtension: { ".js": ".mjs" } };
  await into(
    "stubbed/lean",
    odis,
    stubbing({ ...asDeployed, plugins: [...(lean.plugins ?? []), eager], write: false }),
  );
}

async function into(folder: string, entryPoints: Record<string, string>, options: BuildOptions): Promise<void> {
  const { outputFiles = [] } = await build({
    ...options,
    plugins: [...(options.plugins ?? []), entries],
    entryPoints,
    outdir: join("dist/peers", folder),
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
  for (const { path, contents } of outputFiles) write(path, contents);
}
