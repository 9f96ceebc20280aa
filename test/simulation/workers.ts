import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { HistoryOptions } from "./history.ts";
import type { Mutant } from "./mutants.ts";
import type { Order, Report } from "./worker.ts";
import type { InvariantName, Violation } from "./world/violation.ts";

/** A history with violations. */
export type Failure = {
  readonly seed: string;
  /** The first violation. */
  readonly violation: Violation;
  /** Names of all violated invariants. */
  readonly invariants: readonly InvariantName[];
};

export type Shortened = Extract<Report, { done: "shorten" }>;

export type Run = {
  readonly histories: number;
  readonly steps: number;
  /** Totals over all histories, by name. */
  readonly counts: Readonly<Record<string, Record<string, number>>>;
  /** A hash of each history, by seed. */
  readonly hashes: Readonly<Record<string, string>>;
  /** The seeds of histories in which a labelled condition was decisive, by its name. */
  readonly decisive: Readonly<Record<string, readonly string[]>>;
  /** The first failure. */
  readonly failure?: Failure & { readonly shortened: Shortened };
  readonly failures: readonly Failure[];
};

type RunOptions = {
  readonly seeds: readonly string[];
  readonly options?: HistoryOptions | ((seed: string) => HistoryOptions);
  readonly mutant?: Mutant;
  readonly env?: Readonly<Record<string, string>>;
  readonly isShortened?: boolean;
  /** Whether the histories after one that fails are run, too. */
  readonly goesOn?: boolean;
  /** Time after which the run is stopped, in milliseconds. */
  readonly longest?: number;
  /** How long further histories are begun, in milliseconds. */
  readonly beginFor?: number;
};

/** Environment variables of the functions. */
export const environment = {
  STRIPE_SECRET: JSON.stringify({
    secret_key: "sk_test_simulation",
    webhook_secret: "whsec_simulation",
    portal_configuration: "bpc_simulation",
  }),
  REDIRECT_ORIGINS: "https://app.example",
  CURSOR_KEY: "simulated cursors are signed with this",
  SEALING_KEY: "simulated secrets are sealed with this",
  THROTTLE: "off",
  LOG_LEVEL: "error",
  TABLE_NAME: "odis",
  EVENT_BUS_NAME: "odis",
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "simulation",
  AWS_SECRET_ACCESS_KEY: "simulation",
};

/** Runs histories in one process per core, by default until one fails. */
export async function runAll({
  seeds,
  options: given = {},
  mutant,
  env,
  isShortened = true,
  goesOn = false,
  longest,
  beginFor = Number.POSITIVE_INFINITY,
}: RunOptions): Promise<Run> {
  const signal = longest === undefined ? undefined : AbortSignal.timeout(longest);
  const until = performance.now() + beginFor;
  const left = seeds.values();
  const run = {
    histories: 0,
    steps: 0,
    counts: {} as Record<string, Record<string, number>>,
    hashes: {} as Record<string, string>,
    decisive: {} as Record<string, string[]>,
    failures: [] as Failure[],
  };
  let failure: Run["failure"];
  const workers = Math.min(availableParallelism(), 4, seeds.length);
  await Promise.all(
    Array.from({ length: workers }, () =>
      work().catch((error: unknown) => {
        // A stopped worker ends in the middle of a history.
        if (!signal?.aborted) throw error;
      }),
    ),
  );
  return { ...run, ...(failure && { failure }) };

  async function work(): Promise<void> {
    const changed = mutant && { SIMULATION_MUTANT: JSON.stringify(mutant) };
    const ask = start({ ...environment, ...env, ...changed }, signal);
    for (const seed of left) {
      if ((failure && !goesOn) || performance.now() > until) break;
      const options = typeof given === "function" ? given(seed) : given;
      const { steps, hash, violations, decisive } = await ask({ do: "run", seed, options }, "run");
      run.histories++;
      run.steps += steps;
      run.hashes[seed] = hash;
      for (const name of decisive) (run.decisive[name] ??= []).push(seed);
      const [violation] = violations;
      if (!violation) continue;
      const invariants = [...new Set(violations.map(({ invariant }) => invariant))];
      run.failures.push({ seed, violation, invariants });
      if (failure) continue;
      const whole = { done: "shorten" as const, steps: [], violations, journal: [] };
      failure = { seed, violation, invariants, shortened: whole };
      if (!isShortened) continue;
      const shortened = await ask({ do: "shorten", seed, options, invariant: violation.invariant }, "shorten");
      failure = { seed, violation, invariants, shortened };
    }
    const { counts } = await ask({ do: "report" }, "report");
    for (const [name, all] of Object.entries(counts))
      for (const [one, count] of Object.entries(all)) {
        const sums = (run.counts[name] ??= {});
        sums[one] = (sums[one] ?? 0) + count;
      }
  }
}

/** Starts a worker process. @returns a function that sends one message at a time and returns the response */
function start(env: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
  const worker = fork(join(import.meta.dirname, "worker.ts"), {
    // The functions must not depend on the time zone, and this one has daylight saving time.
    env: { PATH: process.env.PATH, TZ: "America/New_York", ...env },
    execArgv: [],
    ...(signal && { signal }),
  });
  // A worker that is stopped also exits, which `next` reports.
  worker.on("error", () => {});
  const ready = next(worker);
  return async <D extends Report["done"]>(order: Order, done: D): Promise<Extract<Report, { done: D }>> => {
    await ready;
    const answered = next(worker);
    worker.send(order);
    const report = await answered;
    if (report.done !== done) throw new Error(`A worker answered ${report.done}, not ${done}`);
    return report as Extract<Report, { done: D }>;
  };
}

function next(worker: ChildProcess): Promise<Report> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A worker of the simulation ended with ${code}`));
    worker.once("exit", ended);
    worker.once("message", (report: Report) => {
      worker.off("exit", ended);
      resolve(report);
    });
  });
}
