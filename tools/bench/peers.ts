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
  { name: "Hono on ElectroDB, esbuild's defaults", path: "peers/bundled/hono-electrodb.mjs" },
  { name: "Hono on DynamoDB-Toolbox, esbuild's defaults", path: "peers/bundled/hono-dynamodb-toolbox.mjs" },
];

/** The cold start of Odis beside that of what others would build the same three routes with. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildPeers();
  const { rows, asked, stubbed } = await startAll(bundles, 15);
  return {
    method:
      "GET of a member, in a fresh process for each of 15 samples: median CPU time of the bundle's import and of its first " +
      "call. The peers serve three routes as one application (tools/bench/peers) with our token check, rules, store and " +
      "records beneath: once as esbuild makes one minified ES module with its SDK, once as CDK's NodejsFunction builds " +
      "unless told otherwise (CommonJS, not minified, the runtime's SDK, here from node_modules). With the engine, all " +
      "pay the SDK's first request besides; with a stubbed table the client is loaded and made, and answers come from " +
      "memory. The claims are about esbuild's defaults; those about our own code stand in the section cold.",
    rows,
    claims: [
      atMost(0.3, "Stubbed, init and first call : those of Express with serverless-http", [stubbed(express)]),
      atMost(0.6, "Stubbed, init and first call : those of Hono", [stubbed(hono)]),
      atMost(0.5, "With the engine, init and first call : those of any of the others", [
        asked(express),
        asked(hono),
        asked(stock),
      ]),
    ],
  };
}
