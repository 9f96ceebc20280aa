import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "../build/build.ts";
import { coldStart, type Sample } from "./cold-start.ts";
import { buildPeers } from "./peers/build.ts";
import { scenarioRequests } from "./peers/scenario.ts";
import { atMost, type Result } from "./result.ts";
import { interleaved, median, ratioOf } from "./statistics.ts";

const dist = join(import.meta.dirname, "../../dist");

/** What is started cold: its bundle, and where it asks our table itself, the same with a table in memory. */
type Bundle = { readonly name: string; readonly path: string; readonly stubbed: string | undefined };

const peer = (name: string, how: string, file: string): Bundle => ({
  name,
  path: join(dist, "peers", how, file),
  stubbed: join(dist, "peers/stubbed", how, file),
});
const odis = (name: string, how: string, path: string): Bundle => ({
  ...peer(name, how, "odis.mjs"),
  path: join(dist, path),
});
const layered = (name: string, file: string): Bundle => ({ ...peer(name, "bundled", file), stubbed: undefined });

const ours = odis("Odis, as deployed", "lean", "members/show/index.mjs");
const stock = odis("Odis, esbuild's defaults", "bundled", "stock/members/show/index.mjs");
const hono = peer("Hono, esbuild's defaults", "bundled", "hono.mjs");
const express = peer("Express with serverless-http, esbuild's defaults", "bundled", "express.mjs");
const bundles = [
  ours,
  stock,
  hono,
  peer("Hono, NodejsFunction's defaults", "nodejs-function", "hono.cjs"),
  express,
  peer("Express with serverless-http, NodejsFunction's defaults", "nodejs-function", "express.cjs"),
  layered("Hono on ElectroDB, esbuild's defaults", "hono-electrodb.mjs"),
  layered("Hono on DynamoDB-Toolbox, esbuild's defaults", "hono-dynamodb-toolbox.mjs"),
];

/** The cold start of Odis beside that of what others would build the same three routes with. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildPeers();
  const { bench, events, env, app, answers } = await scenarioRequests();
  try {
    const { headers, pathParameters } = events.show;
    const params = pathParameters as Record<string, string>;
    await app.showMember({ authorization: headers.authorization, params, query: {} });
    const environment = {
      ...bench.env,
      ...env,
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      NODE_ENV: "production",
      TABLE_ANSWERS: JSON.stringify([...answers]),
    };
    const paths = bundles.flatMap(({ path, stubbed }) => [path, ...(stubbed === undefined ? [] : [stubbed])]);
    const taken = await interleaved(paths, { rounds: 15, warmUp: 1 }, (bundle) =>
      coldStart({ bundle, event: events.show }, environment),
    );
    return await report((path) => taken.find(({ one }) => one === path)?.samples ?? []);
  } finally {
    await bench.stop();
  }
}

async function report(of: (path: string | undefined) => readonly Sample[]): Promise<Result> {
  const both = (path: string | undefined) => of(path).map(({ init, call }) => init + call);
  const asked = (other: Bundle) => ratioOf(both(ours.path), both(other.path));
  const stubbed = (other: Bundle) => ratioOf(both(ours.stubbed), both(other.stubbed));
  const rows = bundles.map(async (bundle) => {
    const [bytes, samples] = [await readFile(bundle.path), of(bundle.path)];
    return {
      bundle: bundle.name,
      kB: bytes.length / 1000,
      "kB gzipped": gzipSync(bytes, { level: 9 }).length / 1000,
      "init ms": median(samples.map(({ init }) => init)),
      "first call ms": median(samples.map(({ call }) => call)),
      "both ms": median(both(bundle.path)),
      "Odis : it": bundle === ours ? undefined : asked(bundle),
      "both ms, stubbed table": bundle.stubbed === undefined ? undefined : median(both(bundle.stubbed)),
      "Odis : it, stubbed table": bundle === ours || bundle.stubbed === undefined ? undefined : stubbed(bundle),
    };
  });
  return {
    method:
      "GET of a member, in a fresh process for each of 15 samples: median CPU time of the bundle's import and of its first " +
      "call. The peers serve three routes as one application (tools/bench/peers) with our token check, rules, store and " +
      "records beneath: once as esbuild makes one minified ES module with its SDK, once as CDK's NodejsFunction builds " +
      "unless told otherwise (CommonJS, not minified, the runtime's SDK, here from node_modules). With the engine, all " +
      "pay the SDK's first request besides; with a stubbed table the client is loaded and made, and answers come from " +
      "memory. The claims are about esbuild's defaults; those about our own code stand in the section cold.",
    rows: await Promise.all(rows),
    claims: [
      atMost(0.27, "Stubbed, init and first call : those of Express with serverless-http", [stubbed(express)]),
      atMost(0.6, "Stubbed, init and first call : those of Hono", [stubbed(hono)]),
      atMost(0.5, "With the engine, init and first call : those of any of the others", [
        asked(express),
        asked(hono),
        asked(stock),
      ]),
    ],
  };
}
