import { type ReconcileOptions, reconcile } from "../billing/reconcile.ts";
import { logError } from "../log.ts";
import * as erasures from "../store/erasures.ts";
import { withLease } from "../store/lease.ts";
import { type ErasureContext, resume } from "./erasure.ts";
import { sweep } from "./sweep.ts";

/**
 * The part of the time of a run that erasures may take. They come first, so that other work cannot keep them from being
 * finished, and leave the rest, so that they cannot keep other work from it.
 */
const shareOfErasures = 1 / 4;

/** As long as the function may take (`infra/constructs/scheduled-function.ts`). */
const lease = { name: "reconcile", longestMs: 5 * 60_000 };

/**
 * A run of the schedule in the time that a function has `left`, in milliseconds. What has begun when the time is over may
 * take as long as two calls to Stripe.
 *
 * @returns undefined if another run is under way
 */
export const runScheduleAlone = (context: ErasureContext, { left, ...options }: ReconcileOptions) =>
  withLease(context.table, lease, () => {
    const reserve = Math.min(20_000, left() / 2);
    return runSchedule(context, { ...options, left: () => left() - reserve });
  });

/** All that a run of the schedule does: finishes erasures, then what crashes and lost events have left. */
export async function runSchedule(context: ErasureContext, options: ReconcileOptions) {
  const whole = options.left();
  const isOver = () => whole - options.left() >= whole * shareOfErasures;
  const finished = await finishErasures(context, { isOver });
  const report = await reconcile(context, options);
  return {
    ...report,
    done: report.done + finished.done,
    failed: report.failed + finished.failed,
    unfinished: report.unfinished + finished.failed,
    failed_erasures: finished.failed,
  };
}

type Options = {
  /** Whether the time is over. The next run does the rest. */
  readonly isOver: () => boolean;
};

/**
 * Finishes erasures that were interrupted, and looks again at those that are done: what was being written at that moment
 * is erased too. What fails is attempted by each run.
 */
async function finishErasures(context: ErasureContext, { isOver }: Options) {
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
