import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { aCommunity, aMember } from "../../test/support/given.ts";
import { overBudget } from "../build/budget.ts";
import { build } from "../build/build.ts";
import { coldStart, type Sample } from "./cold-start.ts";
import { atMost, type Result } from "./result.ts";
import { signedRequest } from "./signed-request.ts";
import { interleaved, median, ratioOf } from "./statistics.ts";
import { startTable } from "./table.ts";

const dist = join(import.meta.dirname, "../../dist");
const lean = { name: "as deployed", path: join(dist, "members/show/index.mjs") };
const stock = { name: "esbuild's defaults", path: join(dist, "stock/members/show/index.mjs") };

/** What a first invocation costs, beside that of the same code as esbuild bundles it by default. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  const bench = await startTable();
  try {
    const community = await aCommunity(bench.table);
    const member = await aMember(bench.table, community);
    const { event, env } = await signedRequest(`/odis/v1/communities/${community.id}/members/${member.id}`);
    // A function that has a name connects while it loads, as it does on Lambda.
    const environment = { ...bench.env, ...env, AWS_LAMBDA_FUNCTION_NAME: "bench" };
    const taken = await interleaved([lean, stock], { rounds: 20, warmUp: 1 }, ({ path }) =>
      coldStart({ bundle: path, event }, environment),
    );
    return await report(taken);
  } finally {
    await bench.stop();
  }
}

type Taken = { readonly one: typeof lean; readonly samples: readonly Sample[] };

async function report(taken: readonly Taken[]): Promise<Result> {
  const sumsOf = (bundle: typeof lean) =>
    taken.find(({ one }) => one === bundle)?.samples.map(({ init, call }) => init + call) ?? [];
  const ratio = ratioOf(sumsOf(lean), sumsOf(stock));
  const rows = taken.map(async ({ one, samples }) => {
    const bytes = await readFile(one.path);
    return {
      bundle: one.name,
      kB: bytes.length / 1000,
      "kB gzipped": gzipSync(bytes, { level: 9 }).length / 1000,
      "init ms": median(samples.map(({ init }) => init)),
      "first call ms": median(samples.map(({ call }) => call)),
      "both ms": median(sumsOf(one)),
      "both : defaults": one === lean ? ratio : undefined,
    };
  });
  const { bundles, over } = overBudget();
  return {
    method:
      "GET of a member by the built function, in a fresh process for each of 20 samples: median CPU time of its import " +
      "and of its first call, over plain HTTP to the engine. What Lambda's runtime loads itself is loaded before.",
    rows: await Promise.all(rows),
    claims: [
      atMost(0.45, "Init and first call : those of esbuild's defaults", [ratio]),
      {
        claim: "Every function is within the budget of tools/build/budget.ts",
        found: `${bundles - over.length} of ${bundles} are`,
        holds: over.length === 0,
      },
    ],
  };
}
