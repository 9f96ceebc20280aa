import { logError } from "../log.ts";
import * as erasures from "../store/erasures.ts";
import { type ErasureContext, resume } from "./erasure.ts";
import { sweep } from "./sweep.ts";

type Options = {
  /** Whether the time is over. The next run does the rest. */
  readonly isOver: () => boolean;
};

/**
 * Finishes erasures that were interrupted, and looks again at those that are done: what was being written at that moment
 * is erased too. What fails is attempted by each run.
 */
export async function finishErasures(context: ErasureContext, { isOver }: Options) {
  const report = { done: 0, failed: 0 };
  for await (const erasure of erasures.due(context.table, context.now)) {
    if (isOver()) break;
    try {
      await (erasure.finished_at === null ? resume(context, erasure) : lookAgain(context, erasure));
      report.done++;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error("An erasure failed");
      logError(failure, { kind: "erasure", id: erasure.user_id });
      report.failed++;
    }
  }
  return report;
}

async function lookAgain({ table }: ErasureContext, erasure: erasures.Erasure): Promise<void> {
  await sweep(table, { id: erasure.user_id, sub: erasure.sub });
  await erasures.close(table, erasure);
}
