import { type ReconcileOptions, reconcile } from "../billing/reconcile.ts";
import { logError } from "../log.ts";
import * as erasures from "../store/erasures.ts";
import { withLease } from "../store/lease.ts";
import { type ErasureContext, resume } from "./erasure.ts";
import { sweep } from "./sweep.ts";

/**
 * The share of a run's time for erasures. They come first, so that other work cannot delay them, and have a limit, so that
 * they cannot block other work.
 */
const shareOfErasures = 1 / 4;

/** The lease is as long as the time limit of the function (`lib/contract/time-limits.ts`). */
const lease = { name: "reconcile", longestMs: 5 * 60_000 };

/**
 * Runs the schedule. `left` returns the remaining time of the run in milliseconds. A task that is in progress when the
 * time runs out may take as long as two more calls to Stripe.
 *
 * @returns undefined if another run is in progress
 */
export const runScheduleAlone = (context: ErasureContext, { left, ...options }: ReconcileOptions) =>
  withLease(context.table, lease, () => {
    const reserve = Math.min(20_000, left() / 2);
    return runSchedule(context, { ...options, left: () => left() - reserve });
  });

/** One run of the schedule: completes erasures, then other work that crashes and lost events have left unfinished. */
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
  /** Whether the time has run out. The next run continues. */
  readonly isOver: () => boolean;
};

/**
 * Completes interrupted erasures, and checks completed ones again, to erase data that were written at the same time. Every run
 * retries failed erasures.
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
  await sweep(table, { ...erasure, id: erasure.user_id });
  await erasures.close(table, erasure);
}
