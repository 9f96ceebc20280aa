import { overBudget } from "../build/budget.ts";
import { build } from "../build/build.ts";
import { ours, startAll, stock } from "./cold-start.ts";
import { buildStubbed } from "./peers/build.ts";
import { atMost, type Result } from "./result.ts";

/** What a first invocation costs, beside that of the same code as esbuild bundles it by default. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildStubbed();
  const { rows, asked, stubbed } = await startAll([ours, stock], 20);
  const { bundles, over } = overBudget();
  return {
    method:
      "GET of a member by the built function, in a fresh process for each of 20 samples: median CPU time of its import " +
      "and of its first call. What Lambda's runtime loads itself is loaded before. By esbuild's defaults, the same " +
      "source is bundled with the AWS SDK's own clients in the place of lib/aws.ts, and nothing else is replaced. With " +
      "the engine, the table is asked over plain HTTP; with a stubbed table, the client is loaded and made, and answers " +
      "come from memory.",
    rows,
    claims: [
      atMost(0.4, "Stubbed, init and first call : those of esbuild's defaults", [stubbed(stock)]),
      atMost(0.5, "With the engine, init and first call : those of esbuild's defaults", [asked(stock)]),
      {
        claim: "Every function is within the budget of tools/build/budget.ts",
        found: `${bundles - over.length} of ${bundles} are`,
        holds: over.length === 0,
      },
    ],
  };
}
