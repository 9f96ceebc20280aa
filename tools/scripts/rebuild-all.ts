import { type RebuildContext, rebuild } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import { keys } from "#lib/store/keys.ts";
import { communityIds } from "#lib/store/scan.ts";
import { write } from "#lib/store/write.ts";

/** Number of communities that are rebuilt in parallel. */
const concurrency = 4;

/** How long an interrupted run can be resumed, in seconds. */
const resumableSeconds = 24 * 60 * 60;

type Report = {
  /** Called after each community. */
  readonly onProgress: (done: number, total: number, wrong: number) => void;
  /** Called with each difference, as one line of text. */
  readonly onWrong: (line: string) => void;
};

/**
 * Rebuilds the projections of every community, or of those that an interrupted run has left. A failure does not stop
 * the others.
 *
 * @returns the number of communities, of those that the interrupted run has rebuilt, of differences, and of communities that
 * could not be rebuilt
 */
export async function rebuildAll(context: RebuildContext, { onProgress, onWrong }: Report) {
  const { table, now, isDryRun } = context;
  const progress = keys.progress("rebuild");
  const start = isDryRun ? undefined : await table.get(progress);
  const all = await communityIds(table);
  const ids = all.filter((id) => id > Number(start?.after ?? 0));
  const left = ids.entries();
  const unfinished = new Set<number>();
  let [done, wrong, failed] = [0, 0, 0];
  const report = (lines: readonly string[]) => {
    wrong += lines.length;
    lines.forEach(onWrong);
  };
  const rebuildNext = async () => {
    for (const [n, id] of left) {
      unfinished.add(n);
      try {
        report((await rebuild(context, id)).map((line) => `community ${id}: ${line}`));
        unfinished.delete(n);
      } catch (error) {
        failed++;
        onWrong(`community ${id} could not be rebuilt: ${(error as Error).message}`);
      }
      done++;
      // All communities before the first one that is in progress or has failed are done.
      const after = ids[Math.min(n + 1, ...unfinished) - 1];
      if (!isDryRun && after !== undefined)
        await write(table, [{ put: { ...progress, after, expires_at: now().getTime() / 1000 + resumableSeconds } }]);
      onProgress(done, ids.length, wrong);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, rebuildNext));
  report(await removeStrays(table, context));
  if (!isDryRun) await write(table, [{ delete: progress }]);
  return { communities: ids.length, before: all.length - ids.length, wrong, failed };
}
