import { globSync } from "node:fs";
import { build } from "esbuild";
import { expect, it } from "vitest";

/**
 * Who may import what, the most specific row first: files and folders from the root, packages by their name, `node` for
 * all of Node's own. A row may always import itself. Types count for nothing here, as esbuild drops them.
 */
const mayImport: Record<string, readonly string[]> = {
  "lib/problem.ts": [],
  "lib/env.ts": [],
  "lib/log.ts": ["node"],
  "lib/ids.ts": ["node"],
  "lib/domain": ["lib/problem.ts", "valibot"],
  "lib/contract": ["lib/domain"],
  "lib/store": [
    "lib/domain",
    "lib/problem.ts",
    "lib/env.ts",
    "lib/ids.ts",
    "lib/log.ts",
    "node",
    "valibot",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@aws-sdk/util-dynamodb",
  ],
  "lib/discovery": ["lib/store", "lib/domain", "lib/problem.ts", "lib/log.ts", "node", "valibot"],
  "lib/projections": ["lib/store", "lib/domain", "lib/log.ts", "node", "valibot"],
  "lib/events": ["lib/store", "lib/domain", "lib/env.ts", "lib/log.ts", "@aws-sdk/client-eventbridge"],
  "lib/secrets.ts": ["lib/env.ts", "valibot", "@aws-sdk/client-secrets-manager"],
  "lib/billing": [
    "lib/store",
    "lib/domain",
    "lib/problem.ts",
    "lib/secrets.ts",
    "lib/log.ts",
    "lib/ids.ts",
    "stripe",
    "valibot",
  ],
  "lib/auth": ["lib/problem.ts", "lib/env.ts", "aws-jwt-verify"],
  "lib/guards": ["lib/auth", "lib/store", "lib/problem.ts"],
  "lib/platform.ts": ["lib/auth", "lib/store"],
  "lib/http": [
    "lib/auth",
    "lib/contract",
    "lib/platform.ts",
    "lib/problem.ts",
    "lib/log.ts",
    "lib/ids.ts",
    "lib/store/failure.ts",
    "lib/store/usage.ts",
    "lib/store/idempotency.ts",
    "lib/store/usage.ts",
    "lib/store/write.ts",
    "node",
    "valibot",
    "@middy",
  ],
  functions: ["lib", "valibot", "document"],
  "client/cli": ["client", "lib/domain", "node", "valibot", "commander", "cli-progress", "csv-parse", "csv-stringify"],
  client: ["openapi-fetch", "odis", "node"],
  infra: ["lib", "node", "aws-cdk-lib", "cdk-nag", "constructs"],
  "tools/build": [
    "lib",
    "package.json",
    "node",
    "esbuild",
    "valibot",
    "@valibot/to-json-schema",
    "@scalar/fastify-api-reference",
  ],
  /** It knows nothing of Odis, so that it can contradict us where we are wrong. */
  "tools/local/stripe": ["tools/local/loopback.ts", "node", "stripe", "valibot"],
  "tools/local": ["lib", "tools/build/build.ts", "node", "valibot", "jose", "@aws-sdk/client-dynamodb"],
  "tools/scripts": ["lib", "tools/local", "node", "valibot"],
  "tools/bench": [
    "lib",
    "functions",
    "tools/build",
    "tools/local",
    "test/support",
    "package.json",
    "node",
    "@aws-sdk",
    "@middy",
    "autocannon",
    "aws-cdk-lib",
    "dynamodb-toolbox",
    "electrodb",
    "esbuild",
    "express",
    "hono",
    "serverless-http",
    "stripe",
    "valibot",
    "vitest",
  ],
  /** What tests stand on, as far as a bench stands on it too. */
  test: ["lib", "functions", "tools", "node", "valibot", "@aws-sdk", "stripe", "vitest", "jose", "aws-cdk-lib"],
};

const { metafile } = await build({
  entryPoints: globSync("{client,functions,infra,lib,tools}/**/*.ts", {
    exclude: ["**/node_modules/**", "**/*.as.ts"],
  }),
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  write: false,
  outdir: "unused",
  metafile: true,
  logLevel: "silent",
});

const edges = Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
  imports.map(({ path }) => ({
    from,
    to: path.replace(/^(node|document):.*/, "$1").replace(/^[./]*(.*?)\/\*.*/, "$1"),
  })),
);

const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
const rowOf = (file: string) => Object.keys(mayImport).find((place) => isIn(file, place));

it.each(Object.entries(mayImport))("%s imports only what it may", (place, targets) => {
  const strays = edges.filter(
    ({ from, to }) => rowOf(from) === place && ![place, ...targets].some((target) => isIn(to, target)),
  );
  expect(strays).toEqual([]);
});

it("says of every file what it may import", () => {
  expect(Object.keys(metafile.inputs).filter((file) => file !== "package.json" && !rowOf(file))).toEqual([]);
});

it("shows no function the whole contract", () => {
  expect(edges.filter(({ from, to }) => isIn(from, "functions") && to === "lib/contract/index.ts")).toEqual([]);
});

it("has no file that only gathers others, but the contract's", () => {
  expect(Object.keys(metafile.inputs).filter((file) => file.endsWith("/index.ts"))).toEqual(["lib/contract/index.ts"]);
});

it("has no cycles", () => {
  const importedBy = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const cycles: string[][] = [];

  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file]);
    else if (!done.has(file)) for (const { to } of importedBy.get(file) ?? []) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of importedBy.keys()) visit(file, []);

  expect(cycles).toEqual([]);
});
