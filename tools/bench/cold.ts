import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { overBudget } from "../build/budget.ts";
import { build } from "../build/build.ts";
import { coldStart, type Sample } from "./cold-start.ts";
import { buildStubbed } from "./peers/build.ts";
import { scenarioRequests } from "./peers/scenario.ts";
import { atMost, type Result } from "./result.ts";
import { interleaved, median, type Ratio, ratioOf } from "./statistics.ts";

const dist = join(import.meta.dirname, "../../dist");

const lean = "as deployed";
const stock = "esbuild's defaults";
type Table = "engine" | "stubbed";
type Bundle = { readonly name: typeof lean | typeof stock; readonly table: Table; readonly path: string };

const bundles: readonly Bundle[] = [
  { name: lean, table: "engine", path: "members/show/index.mjs" },
  { name: stock, table: "engine", path: "stock/members/show/index.mjs" },
  { name: lean, table: "stubbed", path: "peers/stubbed/lean/odis.mjs" },
  { name: stock, table: "stubbed", path: "peers/stubbed/bundled/odis.mjs" },
];

/** What a first invocation costs, beside that of the same code as esbuild bundles it by default. */
export async function run(): Promise<Result> {
  await build();
  await build({ stock: true });
  await buildStubbed();
  const { bench, events, env, app, answers } = await scenarioRequests();
  try {
    const { headers, pathParameters } = events.show;
    // Records what the stubbed table answers.
    await app.showMember({
      authorization: headers.authorization,
      params: pathParameters as Record<string, string>,
      query: {},
    });
    // A function that has a name connects while it loads, as it does on Lambda.
    const environment = {
      ...bench.env,
      ...env,
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      TABLE_ANSWERS: JSON.stringify([...answers]),
    };
    const taken = await interleaved(bundles, { rounds: 20, warmUp: 1 }, ({ path }) =>
      coldStart({ bundle: join(dist, path), event: events.show }, environment),
    );
    return await report(taken);
  } finally {
    await bench.stop();
  }
}

type Taken = { readonly one: Bundle; readonly samples: readonly Sample[] };

async function report(taken: readonly Taken[]): Promise<Result> {
  const sumsOf = (name: Bundle["name"], table: Table) =>
    taken
      .filter(({ one }) => one.name === name && one.table === table)
      .flatMap(({ samples }) => samples.map(({ init, call }) => init + call));
  const ratioWith = (table: Table) => ratioOf(sumsOf(lean, table), sumsOf(stock, table));
  const ratios: Readonly<Record<Table, Ratio>> = { engine: ratioWith("engine"), stubbed: ratioWith("stubbed") };
  const rows = taken.map(async ({ one: { name, table, path }, samples }) => {
    const bytes = await readFile(join(dist, path));
    return {
      bundle: name,
      table,
      kB: bytes.length / 1000,
      "kB gzipped": gzipSync(bytes, { level: 9 }).length / 1000,
      "init ms": median(samples.map(({ init }) => init)),
      "first call ms": median(samples.map(({ call }) => call)),
      "both ms": median(sumsOf(name, table)),
      "both : defaults": name === lean ? ratios[table] : undefined,
    };
  });
  const { bundles: all, over } = overBudget();
  return {
    method:
      "GET of a member by the built function, in a fresh process for each of 20 samples: median CPU time of its import " +
      "and of its first call. What Lambda's runtime loads itself is loaded before. By esbuild's defaults, the same " +
      "source is bundled with the AWS SDK's own clients in the place of lib/aws.ts, and nothing else is replaced. With " +
      "the engine, the table is asked over plain HTTP; with a stubbed table, the client is loaded and made, and answers " +
      "come from memory.",
    rows: await Promise.all(rows),
    claims: [
      atMost(0.4, "Stubbed, init and first call : those of esbuild's defaults", [ratios.stubbed]),
      atMost(0.5, "With the engine, init and first call : those of esbuild's defaults", [ratios.engine]),
      {
        claim: "Every function is within the budget of tools/build/budget.ts",
        found: `${all - over.length} of ${all} are`,
        holds: over.length === 0,
      },
    ],
  };
}
