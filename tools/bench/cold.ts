import { overBudget } from "../build/budget.ts";
import { build } from "../build/build.ts";
import { ours, startAll, stock } from "./cold-start.ts";
import { buildStubbed } from "./peers/build.ts";
import { atMost, type Result } from "./result.ts";

/** Measures cold starts of a function as deployed and as esbuild bundles it by default. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildStubbed();
  const { rows, withEngine, stubbed } = await startAll([ours, stock], 40);
  const { bundles, over } = overBudget();
  return {
    method:
      "GET of a member by the built function, in a fresh process for each of 40 samples: median CPU time of importing the " +
      "function and of its first call. Modules that Lambda's runtime loads itself are loaded beforehand. With esbuild's " +
      "defaults, the same source is bundled and no module is replaced. With the engine, the table is called over plain HTTP. With a stubbed table, the client is loaded and " +
      "created, and responses come from memory. All of them include what Node.js spends on certificates, in a thread of " +
      "its own, as soon as TLS is loaded.",
    rows,
    claims: [
      atMost(0.45, "Init and first call with a stubbed table, relative to esbuild's defaults", [stubbed(stock)]),
      atMost(0.6, "Init and first call with the engine, relative to esbuild's defaults", [withEngine(stock)]),
      {
        claim: "Every function is within its budget in tools/build/budget.ts",
        measured: `${bundles - over.length} of ${bundles} are`,
        holds: over.length === 0,
      },
    ],
  };
}
