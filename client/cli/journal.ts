import { createHash, randomUUID } from "node:crypto";
import { appendFile, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as v from "valibot";
import type { Numbered, Row } from "./csv.ts";

const Counts = v.object({ created: v.number(), updated: v.number(), unchanged: v.number(), refused: v.number() });
export type Counts = v.InferOutput<typeof Counts>;

const State = v.object({
  /** Hash of the file and the target. If it differs, the import starts from the first row. */
  fingerprint: v.string(),
  /** Number of rows done, from the first. */
  rows: v.number(),
  counts: Counts,
});
type State = v.InferOutput<typeof State>;

/** What is wrong with a row: the JSON Pointer of the field within the row's record, a code, and a sentence. */
export type RowError = { readonly pointer?: string; readonly code: string; readonly message: string };

/** Outcome of a row. */
export type Outcome = { readonly outcome: keyof Counts; readonly errors?: readonly RowError[] };

type Options = {
  readonly isFresh: boolean;
  readonly isDryRun: boolean;
  /** Prints a message for people. */
  readonly note?: (text: string) => void;
};

/**
 * Files that an import writes beside its input: its progress, a lock while it runs, the refused rows, and those of the run before
 * it.
 */
export const placesOf = (file: string) => ({
  journal: `${file}.progress.json`,
  lock: `${file}.progress.json.lock`,
  report: `${file}.refused.jsonl`,
  earlierReport: `${file}.refused.jsonl.1`,
});

/**
 * The progress of an import, stored beside its file so that an interrupted run can be resumed. A dry run starts from the
 * first row and stores nothing.
 */
export async function openJournal(file: string, target: string, { isFresh, isDryRun, note }: Options) {
  const { journal, report, earlierReport } = placesOf(file);
  const { size, mtimeMs } = await stat(file);
  const fingerprint = createHash("sha256")
    // Earlier versions counted blank lines as rows.
    .update(JSON.stringify(["without blank lines", resolve(file), size, mtimeMs, target]))
    .digest("base64url");
  const stored = isFresh || isDryRun ? undefined : await stateIn(journal);
  const isSame = stored?.fingerprint === fingerprint;
  const state: State = isSame
    ? stored
    : { fingerprint, rows: 0, counts: { created: 0, updated: 0, unchanged: 0, refused: 0 } };
  const store = async () => {
    await writeFile(`${journal}.new`, JSON.stringify(state));
    await rename(`${journal}.new`, journal);
  };
  if (!isDryRun) {
    if (isSame) await forget(report, state.counts.refused);
    else if (await isMoved(report, earlierReport))
      note?.(`The refused rows of an earlier run are now in ${earlierReport}`);
    // Fails before anything is sent if the folder cannot be written.
    await store();
  }

  return {
    state,
    /** Records the outcomes of the next rows. `groupSize` is the number of rows in the group of a row. */
    async note(
      rows: readonly (Row & { readonly groupSize: number | undefined })[],
      outcomes: readonly Outcome[],
    ): Promise<void> {
      const refused = rows.flatMap(({ line, groupSize, key = randomUUID(), record, text }, n) => {
        const { outcome, errors = [] } = outcomes[n] ?? { outcome: "refused" };
        state.counts[outcome] += 1;
        if (outcome !== "refused") return [];
        const number: Partial<Numbered> = groupSize === undefined ? {} : { nth: groupSize, key };
        return [`${JSON.stringify({ line, ...number, errors, record, text })}\n`];
      });
      state.rows += rows.length;
      if (isDryRun) return;
      if (refused.length > 0) await appendFile(report, refused.join(""));
      await store();
    },
  };
}

/** The stored progress, or undefined if there is none or the file is damaged. */
async function stateIn(journal: string): Promise<State | undefined> {
  try {
    return v.parse(State, JSON.parse(await readFile(journal, "utf8")));
  } catch {
    return undefined;
  }
}

/** Moves a file, which somebody may be editing, out of the way. Returns whether there is one. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}

/** Removes reported rows that a killed run had not recorded as done, because they are sent and reported again. */
async function forget(report: string, count: number): Promise<void> {
  const lines = (await readFile(report, "utf8").catch(() => "")).split("\n").slice(0, count);
  const kept = lines.filter((line) => line !== "").map((line) => `${line}\n`);
  await (kept.length === 0 ? rm(report, { force: true }) : writeFile(report, kept.join("")));
}
