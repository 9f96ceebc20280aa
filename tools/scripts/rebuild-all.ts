import { type RebuildContext, rebuild } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import { communityIds } from "#lib/store/scan.ts";

/** How many communities are rebuilt at the same time. */
const concurrency = 4;

type Report = {
  /** Called after each community. */
  readonly onProgress: (done: number, all: number, wrong: number) => void;
  /** Called with each difference. */
  readonly onWrong: (line: string) => void;
};

/** Rebuilds the projections of every community. @returns the number of communities, and of differences */
export async function rebuildAll(context: RebuildContext, { onProgress, onWrong }: Report) {
  const ids = await communityIds(context.table);
  const left = ids.values();
  let done = 0;
  let wrong = 0;
  const report = (lines: readonly string[]) => {
    wrong += lines.length;
    lines.forEach(onWrong);
  };
  const rebuildNext = async () => {
    for (const id of left) {
      report((await rebuild(context, id)).map((line) => `community ${id}: ${line}`));
      done += 1;
      onProgress(done, ids.length, wrong);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, rebuildNext));
  report(await removeStrays(context.table, context));
  return { communities: ids.length, wrong };
}
