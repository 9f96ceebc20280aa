import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, integer, run } from "../../tools/command.ts";
import { type ConditionMutant, conditionMutants } from "./conditions.ts";
import { measureCoverage } from "./coverage.ts";
import { harmless } from "./harmless-conditions.ts";
import type { HistoryOptions } from "./history.ts";
import { type Mutant, readMutants } from "./mutants.ts";
import { type Pair, pairOf } from "./pairs.ts";
import type { Kind } from "./plan.ts";
import { runPairs } from "./run-pairs.ts";
import { killingTest, testsOfConditions } from "./unit-tests/run.ts";
import { type Failure, type Run, runAll } from "./workers.ts";
import { type InvariantName, invariantNames } from "./world/violation.ts";

type CommandOptions = {
  readonly seed: number;
  readonly histories: number;
  readonly minutes?: number;
  readonly holds?: number;
  readonly pair?: readonly Pair[];
  readonly pairs?: true;
  readonly state?: string;
  readonly months?: true;
  readonly upgrade?: true;
  readonly mutants?: string;
  readonly conditions?: true | string;
  readonly coverage?: true;
};

const program = command(
  "npm run test:simulation --",
  "Runs random histories against the whole system in memory, and checks the invariants after each of them.",
)
  .option("--seed <number>", "Seed of the first history. The following histories use the next seeds", integer(0), 1)
  .option("--histories <count>", "Number of histories", integer(1), 2000)
  .option("--minutes <count>", "Begin no further history after this time", integer(1))
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
  .option("--state <file>", "With --pairs: store after each pass what has met in this file, and continue from it")
  .option(
    "--holds <percent>",
    "Share of the writes that wait until another request writes what they are based on. By default 30 with pairs and in one of four other histories of days, and 0 in the others",
    integer(0),
  )
  .option("--mutants <file>", "Check that each change in this JSON file makes at least one of 500 histories fail")
  .option(
    "--conditions [name]",
    "Check that without each condition of a write, or each whose name contains a text, a unit test or a history fails in which the condition refused a write. Takes up to an hour",
  )
  .option("--coverage", "Measure which lines of lib and functions the histories cover")
  .addHelpText(
    "after",
    "\nA failing seed can be reproduced byte for byte. Results are written to .odis/simulation.json.",
  )
  .action(({ mutants, conditions, pairs, ...options }: CommandOptions) => {
    if (pairs) return meetAll(options);
    if (conditions) return tryConditions({ conditions, ...options });
    return mutants === undefined ? simulate(options) : tryMutants(readMutants(mutants), options);
  });

const seedsOf = ({ seed }: CommandOptions, count: number) => Array.from({ length: count }, (_, n) => String(seed + n));

type Kinds = { readonly months?: true | undefined; readonly upgrade?: true };
const kindOf = ({ months, upgrade }: Kinds): Kind => (upgrade ? "upgrade" : months ? "months" : "days");

async function simulate(options: CommandOptions): Promise<void> {
  const start = performance.now();
  const seeds = seedsOf(options, options.histories);
  const histories = {
    seeds,
    options: historyOptions(options),
    ...(options.minutes && { beginFor: options.minutes * 60_000 }),
  };
  const { result, coverage } = options.coverage
    ? await measureCoverage((env) => runAll({ ...histories, env }))
    : { result: await runAll(histories), coverage: undefined };
  const seconds = Math.round((performance.now() - start) / 1000);
  const { failure, hashes: _, decisive: __, ...figures } = result;
  if (failure) return fail(failure, { ...options, seconds });
  const folder = join(import.meta.dirname, "../../.odis");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "simulation.json"), `${JSON.stringify({ ...figures, seconds, coverage }, null, 2)}\n`);
  if (figures.histories < seeds.length)
    console.log(`NOT RUN: the last ${seeds.length - figures.histories} histories, as the time was up`);
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
  const { failed, uncovered, figures } = await runPairs({
    seed: options.seed,
    options: historyOptions(options),
    stateFile: options.state,
    onFailure: (failure, pairs) => print(failure, { ...options, ...(pairs && { pair: pairs }) }),
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  for (const [name, count] of Object.entries(figures)) console.log(`${name}: ${count}`);
  console.log(`histories that fail: ${failed}, in ${seconds} s`);
  if (uncovered.length > 0) console.log(`These pairs have not met: ${uncovered.map(String).join(" ")}`);
  if (failed + uncovered.length > 0) process.exitCode = 1;
}

function print({ seed, violation: { invariant, text } }: Failure, options: CommandOptions): void {
  console.log(`Seed ${seed} fails. Repeat it with ${repeating(options)}--seed ${seed} --histories 1.`);
  console.log(`${invariant}: ${text}`);
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
  const ofMutant = { seeds: seedsOf(options, enough), longest: 10 * 60_000 };
  const alone = new Set<InvariantName>();
  for (const mutant of mutants)
    await report(mutant, async () => {
      const outcome = await outcomeOf(mutant, ofMutant, options);
      const [first, ...others] = outcome.invariants ?? [];
      if (first && others.length === 0) alone.add(first);
      return outcome;
    });
  const left = invariantNames.filter((name) => !alone.has(name));
  if (left.length === 0) return;
  console.log(`No mutant violates only one of these invariants: ${left.join(", ")}`);
  process.exitCode = 1;
}

type Outcome = {
  readonly isKilled: boolean;
  readonly text: string;
  /** The violated invariants. */
  readonly invariants?: readonly InvariantName[];
};

async function report({ name }: Mutant, attempt: () => Promise<Outcome>, start = performance.now()): Promise<void> {
  const { isKilled, text } = await attempt();
  console.log(`${name}: ${text} in ${Math.round((performance.now() - start) / 1000)} s`);
  if (!isKilled) process.exitCode = 1;
}

type MutantLimits = {
  readonly seeds: readonly string[];
  /** How long the histories run at most, in milliseconds. With a mutant, a history may never end. */
  readonly longest: number;
};

/** Runs histories of a mutant until one fails. */
async function outcomeOf(mutant: Mutant, limits: MutantLimits, options: CommandOptions): Promise<Outcome> {
  const kind = mutant.kind ?? "days";
  const { failure, histories } = await runAll({
    ...limits,
    options: { ...historyOptions(options), kind, ...(mutant.pairs && { pairs: mutant.pairs.map(pairOf) }) },
    mutant,
    isShortened: false,
  });
  if (!failure) return { isKilled: false, text: `NOT FOUND by ${histories} histories` };
  const { seed, invariants, violation } = failure;
  return {
    isKilled: true,
    invariants,
    text: `found with seed ${seed} by ${invariants.join(", ")}: ${violation.text.slice(0, 120)}`,
  };
}

/** The maximum number of histories that each mutant of a condition gets. */
const enoughOfCondition = 20;

/**
 * Tries each mutant of a condition with the unit tests in which the condition refuses a write, and then with histories
 * in which it alone refuses one. Others cannot detect the mutant.
 */
async function tryConditions({ conditions, ...options }: CommandOptions): Promise<void> {
  const seeds = seedsOf(options, options.histories);
  const tests = testsOfConditions();
  const left: ConditionMutant[] = [];
  for (const mutant of conditionMutants()) {
    const { label, name } = mutant;
    if (typeof conditions === "string" && !name.includes(conditions)) continue;
    const reason = harmless[name];
    if (reason !== undefined) {
      console.log(`${name}: HARMLESS: ${reason}`);
      continue;
    }
    const files = (label !== undefined && tests.get(label)) || [];
    const start = performance.now();
    const test = files.length > 0 ? killingTest(mutant, files) : undefined;
    if (test === undefined) left.push(mutant);
    else await report(mutant, async () => ({ isKilled: true, text: `found by the test "${test}"` }), start);
  }
  const decisive = left.some(({ decisiveAs }) => decisiveAs !== undefined)
    ? await decisiveSeeds(seeds, options)
    : undefined;
  for (const { label: _, decisiveAs, ...mutant } of left) {
    const those =
      decisiveAs === undefined ? seeds.slice(0, enough) : decisive?.get(decisiveAs)?.slice(0, enoughOfCondition);
    await report(mutant, () => outcomeOf(mutant, { seeds: those ?? [], longest: 60_000 }, options));
  }
}

/** Runs all histories without a mutant. @returns the seeds in which a condition alone refuses a write, by its name */
async function decisiveSeeds(
  seeds: readonly string[],
  options: CommandOptions,
): Promise<ReadonlyMap<string, string[]>> {
  const start = performance.now();
  const env = { SIMULATION_LABELS: "on" };
  const ran = await runAll({ seeds, options: historyOptions(options), env, isShortened: false, goesOn: true });
  console.log(`Histories for the conditions left: found in ${Math.round((performance.now() - start) / 1000)} s`);
  // These fail without a mutant.
  for (const failure of ran.failures) print(failure, options);
  if (ran.failures.length > 0) process.exitCode = 1;
  const failed = new Set(ran.failures.map(({ seed }) => seed));
  return new Map(Object.entries(ran.decisive).map(([name, all]) => [name, all.filter((seed) => !failed.has(seed))]));
}

await run(program);
