import { build } from "../build/build.ts";
import { type Bundle, ours, startAll, stock } from "./cold-start.ts";
import { buildPeers } from "./peers/build.ts";
import { atMost, type Result } from "./result.ts";

const peer = (name: string, file: string): Bundle => ({
  name,
  path: `peers/${file}`,
  stubbed: `peers/stubbed/${file}`,
});

const hono = peer("Hono, esbuild's defaults", "bundled/hono.mjs");
const express = peer("Express with serverless-http, esbuild's defaults", "bundled/express.mjs");
const bundles: readonly Bundle[] = [
  ours,
  stock,
  hono,
  peer("Hono, NodejsFunction's defaults", "nodejs-function/hono.cjs"),
  express,
  peer("Express with serverless-http, NodejsFunction's defaults", "nodejs-function/express.cjs"),
];

/** Compares the cold start of Odis with the same three routes built with other frameworks. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildPeers();
  const { rows, withEngine, stubbed } = await startAll(bundles, 15);
  return {
    method:
      "GET of a member, in a fresh process for each of 15 samples: median CPU time of importing the bundle and of its first " +
      "call. The peers serve three routes as one application (tools/bench/peers), on top of our token check, rules, store and " +
      "records. Each is built twice: as one minified ES module with its SDK by esbuild, and with the defaults of CDK's " +
      "NodejsFunction (CommonJS, not minified, the runtime's SDK, here from node_modules). With the engine, all of them also " +
      "pay for the SDK's first request. With a stubbed table, the client is loaded and created, and responses come from " +
      "memory. The claims are about esbuild's defaults. Claims about our own code are in the section cold.",
    rows,
    claims: [
      atMost(0.3, "Init and first call with a stubbed table, relative to Express with serverless-http", [
        stubbed(express),
      ]),
      atMost(0.6, "Init and first call with a stubbed table, relative to Hono", [stubbed(hono)]),
      atMost(0.6, "Init and first call with the engine, relative to each of the others", [
        withEngine(express),
        withEngine(hono),
        withEngine(stock),
      ]),
    ],
  };
}
