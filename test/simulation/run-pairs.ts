import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Chance } from "./chance.ts";
import type { HistoryOptions } from "./history.ts";
import { allPairs, hasMet, overlapping } from "./overlaps.ts";
import { type Pair, sides } from "./pairs.ts";
import { type Failure, runAll } from "./workers.ts";

/** Number of histories in which is recorded what each side reads and writes. */
const recorded = 60;
/** Maximum number of pairs in a history, and minimum number of histories in a pass. With fewer pairs, each meets more often. */
const [mostPairs, fewestHistories] = [20, 24];
/** Maximum number of passes. */
const passes = 100;

type PairRun = {
  /** Number of histories that have failed. */
  readonly failed: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly uncovered: readonly Pair[];
};

/** What has been recorded so far, so that a run can be continued later. */
type State = {
  readonly touches: Record<string, number>;
  failed: number;
  /** The seed of the next history. */
  next: number;
};

type PairOptions = {
  readonly seed: number;
  readonly options: HistoryOptions;
  /** The file from which a run is continued, and in which it is stored after each pass. */
  readonly stateFile?: string | undefined;
  /** Is called for each history that fails, with its pairs. */
  readonly onFailure: (failure: Failure, pairs: readonly Pair[] | undefined) => void;
};

/** Records which pairs overlap, and lets them meet until all of them have met, or for a maximum number of passes. */
export async function runPairs({ seed, options, stateFile, onFailure }: PairOptions): Promise<PairRun> {
  const state: State =
    stateFile !== undefined && existsSync(stateFile)
      ? JSON.parse(readFileSync(stateFile, "utf8"))
      : { touches: {}, failed: 0, next: seed };
  const { touches } = state;
  const run = async (histories: readonly (readonly Pair[] | undefined)[]) => {
    const first = state.next;
    state.next += histories.length;
    const pairsOf = (of: string) => histories[Number(of) - first];
    const { failures, counts } = await runAll({
      seeds: histories.map((_, n) => String(first + n)),
      options: (of) => ({ ...options, pairs: pairsOf(of), recordsTouches: true }),
      isShortened: false,
      goesOn: true,
    });
    state.failed += failures.length;
    for (const failure of failures) onFailure(failure, pairsOf(failure.seed));
    for (const [name, count] of Object.entries(counts.touches ?? {})) touches[name] = (touches[name] ?? 0) + count;
    if (stateFile !== undefined) writeFileSync(stateFile, JSON.stringify(state));
    return evaluate();
  };
  const evaluate = (): PairRun => {
    const all = overlapping(touches);
    const uncovered = all.filter((pair) => !hasMet(touches, pair));
    const writers = overlapping(touches, ["write"]);
    const figures = {
      "acts and triggers": sides.length,
      "possible pairs": allPairs.length,
      "pairs that overlap": all.length,
      "of which have met": all.length - uncovered.length,
      "pairs of two writers": writers.length,
      "of which have written one item together": writers.filter((pair) => hasMet(touches, pair, ["write"])).length,
    };
    return { failed: state.failed, figures, uncovered };
  };

  const isContinued = Object.keys(touches).length > 0;
  let result = isContinued ? evaluate() : await run(Array.from({ length: recorded }, () => undefined));
  for (let pass = 1; pass <= passes && result.uncovered.length > 0; pass++) {
    const mixed = new Chance(`${state.next} pass ${pass}`).shuffle([...result.uncovered]);
    const count = Math.max(fewestHistories, Math.ceil(mixed.length / mostPairs));
    result = await run(
      Array.from({ length: count }, (_, n) =>
        mixed.filter((__, place) => place % count === n % Math.min(count, mixed.length)),
      ),
    );
    console.log(`Pass ${pass}: ${result.uncovered.length} overlapping pairs have not met`);
  }
  return result;
}
