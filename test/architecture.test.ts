import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** What everything in `lib` may stand on. */
const ground = [
  "lib/problem.ts",
  "lib/env.ts",
  "lib/log.ts",
  "lib/runtime.ts",
  "lib/ids.ts",
  "lib/epoch.ts",
  "lib/pick.ts",
  "lib/canonical-json.ts",
  "lib/signed-text.ts",
  "node",
  "valibot",
];

/**
 * Who may import what, the most specific row first: files and folders from the root, packages by their name, `node` for
 * all of Node's own. A row may always import itself. Types count for nothing here, as esbuild drops them.
 */
const mayImport: Record<string, readonly string[]> = {
  "lib/problem.ts": [],
  "lib/epoch.ts": [],
  "lib/env.ts": ["lib/epoch.ts", "valibot"],
  "lib/log.ts": ["lib/env.ts", "node"],
  "lib/runtime.ts": ["lib/env.ts", "node"],
  "lib/canary.ts": [],
  "lib/pick.ts": [],
  "lib/canonical-json.ts": [],
  "lib/signed-text.ts": ["lib/env.ts", "node"],
  "lib/ids.ts": ["node"],
  /** The only file that knows how an AWS client is made; the others send commands. */
  "lib/aws.ts": [
    "lib/env.ts",
    "@aws-sdk/client-cognito-identity-provider",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/client-eventbridge",
    "@aws-sdk/client-s3",
    "@aws-sdk/client-secrets-manager",
    "@aws-sdk/client-sqs",
    "@aws-sdk/lib-dynamodb",
  ],
  "lib/values": ["lib/problem.ts", "valibot"],
  "lib/fields": ["lib/values", "valibot"],
  "lib/domain": ["lib/problem.ts", "lib/values", "lib/fields", "valibot"],
  "lib/contract/descriptions.ts": ["lib/values", "node"],
  "lib/contract": ["lib/values", "lib/fields", "lib/domain", "valibot"],
  "lib/store": [
    ...ground,
    "lib/values",
    "lib/fields",
    "lib/domain",
    "lib/aws.ts",
    "@aws-sdk/client-s3",
    "@aws-sdk/lib-dynamodb",
    "@aws-sdk/util-dynamodb",
  ],
  "lib/discovery": [...ground, "lib/store", "lib/values", "lib/domain"],
  "lib/projections": [...ground, "lib/store", "lib/values", "lib/fields", "lib/domain"],
  "lib/events": [
    ...ground,
    "lib/contract/event-data.ts",
    "lib/contract/events.ts",
    "lib/store",
    "lib/values",
    "lib/fields",
    "lib/domain",
    "lib/aws.ts",
    "@aws-sdk/client-eventbridge",
  ],
  "lib/delivery": [
    ...ground,
    "lib/store",
    "lib/values",
    "lib/domain",
    "lib/aws.ts",
    "lib/secrets.ts",
    "@aws-sdk/client-sqs",
    "ipaddr.js",
    "standardwebhooks",
  ],
  "lib/verified-address.ts": ["lib/env.ts", "lib/pool.ts", "lib/store/failure.ts"],
  "lib/pool.ts": [...ground, "lib/aws.ts", "@aws-sdk/client-cognito-identity-provider"],
  "lib/accounts": [...ground, "lib/values", "@aws-sdk/client-cognito-identity-provider", "@aws-sdk/client-s3"],
  "lib/secrets.ts": [...ground, "lib/aws.ts", "@aws-sdk/client-secrets-manager"],
  "lib/billing": [...ground, "lib/store", "lib/values", "lib/fields", "lib/domain", "lib/secrets.ts", "stripe"],
  "lib/person": [...ground, "lib/store", "lib/values", "lib/fields", "lib/domain", "lib/billing", "lib/pool.ts"],
  "lib/auth": [...ground, "lib/fields", "lib/values", "aws-jwt-verify"],
  "lib/guards": [...ground, "lib/auth", "lib/domain", "lib/store", "lib/values"],
  "lib/platform.ts": [...ground, "lib/auth", "lib/store"],
  "lib/http": [
    ...ground,
    "lib/auth",
    "lib/contract",
    "lib/domain/csv.ts",
    "lib/store/api-key-use.ts",
    "lib/store/failure.ts",
    "lib/store/idempotency.ts",
    "lib/store/operation-state.ts",
    "lib/store/ownership.ts",
    "lib/store/team-places.ts",
    "lib/store/usage.ts",
    "lib/store/users.ts",
    "lib/store/write.ts",
    "@middy",
  ],
  functions: ["lib", "valibot"],
  "client/cli": [
    "client",
    "lib/contract",
    "lib/values",
    "lib/domain",
    "lib/http/validation.ts",
    "lib/pick.ts",
    "node",
    "valibot",
    "commander",
    "cli-progress",
    "csv-parse",
  ],
  client: ["odis"],
  infra: [
    "lib",
    "site/deployment-info.ts",
    "site/headers.ts",
    "site/viewer.ts",
    "node",
    "valibot",
    "aws-cdk-lib",
    "cdk-nag",
    "constructs",
  ],
  "tools/command.ts": ["commander"],
  "site/headers.ts": [],
  "site/viewer.ts": ["site/headers.ts", "node"],
  "site/deployment-info.ts": ["package.json"],
  "tools/build": [
    "lib",
    "infra",
    "site/deployment-info.ts",
    "site/headers.ts",
    "tools/command.ts",
    "package.json",
    "node",
    "esbuild",
    "@jridgewell/sourcemap-codec",
    "valibot",
    "@valibot/to-json-schema",
    "@scalar/fastify-api-reference",
    "@aws-sdk/client-cognito-identity-provider",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/client-eventbridge",
    "@aws-sdk/client-s3",
    "@aws-sdk/client-secrets-manager",
    "@aws-sdk/client-sqs",
    "@aws-sdk/lib-dynamodb",
  ],
  /** The stand-in knows nothing of Odis, so that it can contradict us where we are wrong. */
  "packages/stripe-stand-in/src/core": ["node", "stripe", "valibot"],
  "packages/stripe-stand-in/src": ["node", "stripe", "valibot"],
  "tools/local": [
    "lib",
    "client/cli/stop-signal.ts",
    "site/deployment-info.ts",
    "site/headers.ts",
    "site/viewer.ts",
    "tools/build/build.ts",
    "tools/command.ts",
    "node",
    "valibot",
    "jose",
    "stripe",
    "stripe-stand-in",
    "@aws-sdk/client-dynamodb",
  ],
  "tools/scripts": [
    "lib",
    "tools/command.ts",
    "tools/local",
    "infra/settings.ts",
    "package.json",
    "node",
    "commander",
    "valibot",
    "@aws-sdk",
  ],
  "tools/bench": [
    "lib",
    "functions",
    "tools/build",
    "tools/command.ts",
    "tools/local",
    "test/support",
    "package.json",
    "node",
    "@aws-sdk",
    "@middy",
    "autocannon",
    "aws-cdk-lib",
    "commander",
    "esbuild",
    "express",
    "hono",
    "serverless-http",
    "stripe",
    "stripe-stand-in",
    "valibot",
    "vitest",
  ],
  /** What tests stand on, as far as a bench stands on it too. */
  test: [
    "lib",
    "functions",
    "tools",
    "client",
    "node",
    "valibot",
    "@aws-sdk",
    "stripe",
    "stripe-stand-in",
    "playwright-core",
    "vitest",
    "jose",
    "aws-cdk-lib",
  ],
};

const { metafile } = await build({
  entryPoints: globSync("{client,functions,infra,lib,tools,packages/*/src}/**/*.ts", {
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
    to: path.replace(/^node:.*/, "node").replace(/^[./]*(.*?)\/\*.*/, "$1"),
  })),
);

const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
const rowOf = (file: string) => Object.keys(mayImport).find((place) => isIn(file, place));

it.each(Object.entries(mayImport))("%s imports only what its layer may import", (place, targets) => {
  const strays = edges.filter(
    ({ from, to }) => rowOf(from) === place && ![place, ...targets].some((target) => isIn(to, target)),
  );
  expect(strays).toEqual([]);
});

it("every file has a rule for its imports", () => {
  expect(Object.keys(metafile.inputs).filter((file) => file !== "package.json" && !rowOf(file))).toEqual([]);
});

it("the core of the Stripe stand-in gets clock, randomness, timers and network from its shell", () => {
  const core = Object.entries(metafile.inputs).filter(([file]) => isIn(file, "packages/stripe-stand-in/src/core"));
  const modules = core.flatMap(([, { imports }]) => imports.map(({ path }) => path));
  expect(new Set(modules.filter((path) => path.startsWith("node:")))).toEqual(new Set(["node:crypto"]));

  const globals =
    /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|crypto\.|set(Timeout|Interval|Immediate)|AbortSignal\.timeout|fetch\(|process\.|performance\.|console\.)/;
  const uses = core.flatMap(([file]) => globals.exec(readFileSync(file, "utf8"))?.[0] ?? []);
  expect(uses).toEqual([]);
});

it("no function imports the whole contract", () => {
  expect(edges.filter(({ from, to }) => isIn(from, "functions") && to === "lib/contract/index.ts")).toEqual([]);
});

it("no file only re-exports others, except that of the contract", () => {
  expect(Object.keys(metafile.inputs).filter((file) => file.endsWith("/index.ts"))).toEqual(["lib/contract/index.ts"]);
});

it("no file in lib has more than 250 lines", () => {
  const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n").length;
  expect(Object.keys(metafile.inputs).filter((file) => isIn(file, "lib") && linesOf(file) > 250)).toEqual([]);
});

it("there are no cycles of imports, not even of types", () => {
  const site = globSync("site/**/*.{ts,tsx}", { exclude: ["**/node_modules/**"] });
  const sources = [...Object.keys(metafile.inputs).filter((file) => file.endsWith(".ts")), ...site];
  const importsOf = new Map(sources.map((file) => [file, localImports(file)]));
  const done = new Set<string>();
  const cycles: string[][] = [];

  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file]);
    else if (!done.has(file)) for (const target of importsOf.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);

  expect(cycles).toEqual([]);
});

/** The files of the repository that a file imports from, types included, which esbuild drops. */
function localImports(file: string): string[] {
  const specifiers = readFileSync(file, "utf8").matchAll(/\b(?:from|import) ?\(?"(\.\.?|#lib)(\/[^"]+)"/g);
  return Array.from(specifiers, ([, start = "", path = ""]) =>
    start === "#lib" ? `lib${path}` : join(dirname(file), `${start}${path}`),
  );
}
