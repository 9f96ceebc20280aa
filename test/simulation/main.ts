import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, integer, run } from "../../tools/command.ts";
import { conditionMutants } from "./conditions.ts";
import { measureCoverage } from "./coverage.ts";
import { harmless } from "./harmless-conditions.ts";
import type { HistoryOptions } from "./history.ts";
import { type Mutant, readMutants } from "./mutants.ts";
import { type Pair, pairOf } from "./pairs.ts";
import type { Kind } from "./plan.ts";
import { runPairs } from "./run-pairs.ts";
import { type Run, runAll } from "./workers.ts";

type CommandOptions = {
  readonly seed: number;
  readonly histories: number;
  readonly holds?: number;
  readonly pair?: readonly Pair[];
  readonly pairs?: true;
  readonly months?: true;
  readonly upgrade?: true;
  readonly mutants?: string;
  readonly conditions?: true;
  readonly coverage?: true;
};

const program = command(
  "npm run test:simulation --",
  "Runs random histories against the whole system in memory, and checks the invariants after each of them.",
)
  .option("--seed <number>", "Seed of the first history. The following histories use the next seeds", integer(0), 1)
  .option("--histories <count>", "Number of histories", integer(1), 2000)
  .option("--months", "Let between six months and two years pass in each history, in a few ten years, instead of days")
  .option("--upgrade", "The same, and migrate data of an earlier version in each history")
  .option(
    "--pair <sides>",
    "Let two acts or triggers meet on one subject again and again: support.cancel,dataSubjects.erase or webhook,dataSubjects.erase. Can be repeated, for several pairs in turn",
    (text, before?: readonly Pair[]) => [...(before ?? []), pairOf(text)],
  )
  .option(
    "--pairs",
    "Let all acts and triggers meet of which one writes what the other reads or writes, and list those that have not met. Takes hours",
  )
  .option(
    "--holds <percent>",
    "Share of the writes that wait until another request writes what they are based on. By default 30 with pairs and in one of four other histories of days, and 0 in the others",
    integer(0),
  )
  .option("--mutants <file>", "Check that each change in this JSON file makes at least one of 500 histories fail")
  .option(
    "--conditions",
    "Check that without each condition of a write a history fails in which the condition alone refused a write. Takes hours",
  )
  .option("--coverage", "Measure which lines of lib and functions the histories cover")
  .addHelpText(
    "after",
    "\nA failing seed can be reproduced byte for byte. Results are written to .odis/simulation.json.",
  )
  .action(({ mutants, conditions, pairs, ...options }: CommandOptions) => {
    if (pairs) return meetAll(options);
    if (conditions) return tryConditions(options);
    return mutants === undefined ? simulate(options) : tryMutants(readMutants(mutants), options);
  });

const seedsOf = ({ seed }: CommandOptions, count: number) => Array.from({ length: count }, (_, n) => String(seed + n));

type Kinds = { readonly months?: true | undefined; readonly upgrade?: true };
const kindOf = ({ months, upgrade }: Kinds): Kind => (upgrade ? "upgrade" : months ? "months" : "days");

async function simulate(options: CommandOptions): Promise<void> {
  const start = performance.now();
  const seeds = seedsOf(options, options.histories);
  const { result, coverage } = options.coverage
    ? await measureCoverage((env) => runAll({ seeds, options: historyOptions(options), env }))
    : { result: await runAll({ seeds, options: historyOptions(options) }), coverage: undefined };
  const seconds = Math.round((performance.now() - start) / 1000);
  const { failure, hashes: _, decisive: __, ...figures } = result;
  if (failure) return fail(failure, { ...options, seconds });
  const folder = join(import.meta.dirname, "../../.odis");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "simulation.json"), `${JSON.stringify({ ...figures, seconds, coverage }, null, 2)}\n`);
  console.log(`${figures.histories} histories of ${figures.steps} steps in ${seconds} s: nothing is wrong`);
  for (const [name, counts] of Object.entries(figures.counts)) console.log(`${name}: ${listed(counts)}`);
  if (coverage) console.log(`lines covered: ${listed(coverage)}`);
}

const historyOptions = ({ holds, pair, ...kinds }: CommandOptions): HistoryOptions => ({
  kind: kindOf(kinds),
  holds: holds === undefined ? undefined : holds / 100,
  pairs: pair,
});

async function meetAll(options: CommandOptions): Promise<void> {
  const start = performance.now();
  const { failure, pairs, uncovered, figures } = await runPairs(options.seed, historyOptions(options));
  const seconds = Math.round((performance.now() - start) / 1000);
  if (failure) return fail(failure, { ...options, pair: pairs, seconds });
  for (const [name, count] of Object.entries(figures)) console.log(`${name}: ${count}`);
  console.log(`in ${seconds} s`);
  if (uncovered.length === 0) return;
  console.log(`These pairs have not met: ${uncovered.map(String).join(" ")}`);
  process.exitCode = 1;
}

const listed = (counts: Readonly<Record<string, number | string>>): string =>
  Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

type Failed = CommandOptions & { readonly seconds: number };

function fail({ seed, violation, shortened }: NonNullable<Run["failure"]>, { seconds, ...options }: Failed): void {
  const { steps, journal, violations } = shortened;
  console.log(`${journal.join("\n")}\n`);
  console.log(
    `Seed ${seed} fails, shortened to ${steps.length} steps, after ${seconds} s. Repeat it with ${repeating(options)}--seed ${seed} --histories 1.`,
  );
  const same = violations.find(({ invariant }) => invariant === violation.invariant) ?? violation;
  console.log(`${same.invariant}: ${same.text}`);
  process.exitCode = 1;
}

const optionOf: Readonly<Record<Kind, string>> = { days: "", months: "--months ", upgrade: "--upgrade " };

const repeating = ({ holds, pair = [], ...kinds }: CommandOptions): string =>
  [
    optionOf[kindOf(kinds)],
    holds === undefined ? "" : `--holds ${holds} `,
    ...pair.map((sides) => `--pair ${sides.join()} `),
  ].join("");

const enough = 500;

async function tryMutants(mutants: readonly Mutant[], options: CommandOptions): Promise<void> {
  for (const mutant of mutants) await tryMutant(mutant, seedsOf(options, enough), { ...options, kind: "mutant" });
}

/** How long histories of a mutant run at most, in milliseconds. With a mutant, a history may never end. */
const longest = { mutant: 10 * 60_000, condition: 60_000 };

/** Runs histories of a mutant until one fails. */
async function tryMutant(
  mutant: Mutant,
  seeds: readonly string[],
  { kind, ...options }: CommandOptions & { readonly kind: keyof typeof longest },
): Promise<void> {
  const start = performance.now();
  const those = {
    seeds,
    options: { ...historyOptions(options), kind: mutant.kind ?? "days", pairs: mutant.pairs?.map(pairOf) },
    mutant,
    isShortened: false,
    longest: longest[kind],
  };
  const { failure, histories } = await runAll(those);
  const outcome = failure
    ? `found with seed ${failure.seed} by ${failure.invariants.join(", ")}: ${failure.violation.text.slice(0, 120)}`
    : `NOT FOUND by ${histories} histories`;
  console.log(`${mutant.name}: ${outcome} in ${Math.round((performance.now() - start) / 1000)} s`);
  if (!failure) process.exitCode = 1;
}

/** The maximum number of histories that each mutant of a condition gets. */
const enoughOfCondition = 20;

/**
 * Runs histories to see in which of them each condition alone refuses a write. The other histories cannot detect a
 * mutant of the condition.
 */
async function tryConditions(options: CommandOptions): Promise<void> {
  const seeds = seedsOf(options, options.histories);
  const env = { SIMULATION_LABELS: "on" };
  const { decisive, failure } = await runAll({ seeds, options: historyOptions(options), env });
  if (failure) throw new Error(`Seed ${failure.seed} fails without a mutant`);
  for (const { decisiveAs, ...mutant } of conditionMutants()) {
    const reason = harmless[mutant.name];
    if (reason !== undefined) {
      console.log(`${mutant.name}: HARMLESS: ${reason}`);
      continue;
    }
    const those = decisiveAs === undefined ? seeds.slice(0, enough) : decisive[decisiveAs]?.slice(0, enoughOfCondition);
    if (those) await tryMutant(mutant, those, { ...options, kind: "condition" });
    else {
      console.log(`${mutant.name}: NEVER DECISIVE in ${seeds.length} histories`);
      process.exitCode = 1;
    }
  }
}

await run(program);
