import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonTestResults } from "vitest/node";
import type { Mutant } from "../mutants.ts";

/** The labels of the conditions that refuse a write in a test file. */
export type Refusals = { readonly file: string; readonly labels: readonly string[] };

/** Runs all tests of lib and of the functions, and returns the test files in which each condition refuses a write. */
export function testsOfConditions(): ReadonlyMap<string, readonly string[]> {
  const { failed, refusals } = runTests([], { NOTE_REFUSALS: "on" });
  if (failed !== undefined) throw new Error(`The test "${failed}" fails without a mutant`);
  const pairs = refusals.flatMap(({ file, labels }) => labels.map((label) => [label, file] as const));
  const byLabel = Map.groupBy(pairs, ([label]) => label);
  return new Map(Array.from(byLabel, ([label, files]) => [label, files.map(([, file]) => file)]));
}

/** Runs test files with a mutant. @returns the title of the first test that fails */
export const killingTest = (mutant: Mutant, files: readonly string[]): string | undefined =>
  runTests(["--bail", "1", ...files], { SIMULATION_MUTANT: JSON.stringify(mutant) }, longest).failed;

/** How long tests run at most with a mutant, in milliseconds. */
const longest = 60_000;

/** Runs Vitest for at most `timeout` milliseconds. @returns the title of the first test that fails, and the noted refusals */
function runTests(options: readonly string[], env: Readonly<Record<string, string>>, timeout?: number) {
  const folder = mkdtempSync(join(tmpdir(), "odis-unit-tests-"));
  const [report, noted] = [join(folder, "report.json"), join(folder, "refusals.jsonl")];
  try {
    const config = join(import.meta.dirname, "vitest.config.ts");
    spawnSync("node_modules/.bin/vitest", ["run", "--config", config, "--outputFile", report, ...options], {
      cwd: join(import.meta.dirname, "../../.."),
      env: { ...process.env, ...env, ...(env.NOTE_REFUSALS && { REFUSALS_FILE: noted }) },
      stdio: "ignore",
      // With a mutant, a test may never end.
      ...(timeout !== undefined && { timeout }),
    });
    if (timeout !== undefined && !existsSync(report)) return { failed: undefined, refusals: [] };
    const results = JSON.parse(readFileSync(report, "utf8")) as JsonTestResults;
    const tests = results.testResults.flatMap(({ assertionResults }) => assertionResults);
    if (tests.length === 0) throw new Error("No test has run");
    const lines = env.NOTE_REFUSALS ? readFileSync(noted, "utf8").trim().split("\n") : [];
    return {
      failed: tests.find(({ status }) => status === "failed")?.fullName,
      refusals: lines.map((line) => JSON.parse(line) as Refusals),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
