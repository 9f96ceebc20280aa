import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import type { Step } from "./steps.ts";

const Progress = v.object({
  started_at: v.string(),
  seconds: v.record(v.string(), v.number()),
  /** File with the settings of the stage, if the command created it. */
  settings_file: v.optional(v.string()),
});
/** When the first step began, and how long each finished step took. */
export type Progress = v.InferOutput<typeof Progress>;

/** Reads the steps that an earlier run finished. Undefined if there was none. */
export async function readProgress(file: string): Promise<Progress | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : v.parse(v.pipe(v.string(), v.parseJson(), Progress), text);
}

async function writeProgress(file: string, progress: Progress): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(progress, null, 2));
}

type StepRun = {
  readonly file: string;
  readonly progress: Progress;
  /** Names of the steps to leave out. */
  readonly skipped?: readonly string[];
  /** Runs a command. @returns its exit code */
  readonly execute: (step: Step) => Promise<number>;
  /** Milliseconds of a clock. */
  readonly clock: () => number;
  readonly print: (line: string) => void;
};

/**
 * Runs the steps that are not done, until one fails. Stores each that is done. After the last one, removes the file, and the
 * settings that the command created.
 *
 * @returns whether all are done
 */
export async function runSteps(
  steps: readonly Step[],
  { file, progress, skipped = [], execute, clock, print }: StepRun,
): Promise<boolean> {
  const seconds = { ...progress.seconds };
  await writeProgress(file, { ...progress, seconds });
  for (const step of steps) {
    const { name } = step;
    if (seconds[name] !== undefined) {
      print(`done    ${name} (${seconds[name]} s, in an earlier run)`);
      continue;
    }
    if (skipped.includes(name)) {
      print(`SKIPPED ${name}`);
      continue;
    }
    const begun = clock();
    const code = await execute(step);
    const taken = Math.round((clock() - begun) / 1000);
    if (code !== 0) {
      print(`FAILED  ${name} after ${taken} s, with exit code ${code}: ${step.command.join(" ")}`);
      return false;
    }
    seconds[name] = taken;
    await writeProgress(file, { ...progress, seconds });
    print(`done    ${name} (${taken} s)`);
  }
  if (progress.settings_file !== undefined) await rm(progress.settings_file, { force: true });
  await rm(file);
  return true;
}
