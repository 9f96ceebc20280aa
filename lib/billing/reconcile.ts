import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";
import { logError } from "../log.ts";
import * as due from "../store/due.ts";
import { unhandled } from "../store/handled-events.ts";
import type { BillingContext } from "./context.ts";
import { eventTypes, handleEvent } from "./events.ts";
import { awaitSchedulePlace } from "./pace.ts";
import { performTask } from "./reconcile-tasks.ts";
import { refusalOf } from "./stripe.ts";

/** The sources of work in their order. Earlier failures come before new events from Stripe. */
const sources = ["operations", "members", "failed", "events"] as const;

/** The result of one task. */
export type Step = { readonly source: (typeof sources)[number]; readonly name: string; readonly failed: boolean };

export type ReconcileOptions = {
  readonly livemode: boolean;
  /** Returns the remaining time in milliseconds. Each source gets an equal share. */
  readonly left: () => number;
  /** Called after each task. */
  readonly onStep?: (step: Step) => void;
  /** Whether to retry all failed tasks now instead of at their scheduled times. */
  readonly retriesAll?: boolean;
};

type SourceRun = ReconcileOptions & {
  readonly context: BillingContext;
  readonly source: Step["source"];
  readonly isOver: () => boolean;
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** Number of tasks in parallel. It is low, because requests of people take priority at Stripe. */
const concurrency = 4;

/**
 * Finishes work that crashes and lost events have left unfinished: open operations, members whose period has ended
 * without an event, failed tasks, and events that Stripe could not deliver. An unreadable source does not stop the
 * others. Failed tasks are retried with growing delays.
 *
 * @returns the number of tasks that succeeded and failed in this run, of unfinished tasks, and of tasks that are set
 *   aside
 */
export async function reconcile(context: BillingContext, options: ReconcileOptions) {
  const report = { done: 0, failed: 0 };
  let unread = 0;
  const onStep = (result: Step) => {
    report[result.failed ? "failed" : "done"]++;
    options.onStep?.(result);
  };
  await beginEvents(context).catch((error: unknown) => logError(errorOf(error), { source: "events" }));
  for (const [n, source] of sources.entries()) {
    const remaining = options.left();
    const remainingAtEnd = remaining - remaining / (sources.length - n);
    const isOver = () => options.left() <= remainingAtEnd;
    const run: SourceRun = { ...options, onStep, context, source, isOver };
    try {
      await (source === "events" ? handleMissedEvents(run) : performList(run, source));
    } catch (error) {
      logError(errorOf(error), { source });
      onStep({ source, name: "all", failed: true });
      unread++;
    }
  }
  const { failed, setAside } = await due.countFailed(context.table);
  return { ...report, unfinished: failed + unread, set_aside: setAside };
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error("Reconcile failed"));

async function performList(run: SourceRun, list: due.List): Promise<void> {
  const { context, livemode, retriesAll } = run;
  const { table, now } = context;
  // Operations of the last two minutes may still be in progress.
  const ahead = list === "operations" ? -2 * minute : list === "failed" && retriesAll ? day : 0;
  const attempted = new Set<unknown>();
  const attempt = async (row: due.Row) => {
    // A task that fails again moves to a later place in the same list.
    if (attempted.has(row.name)) return;
    if (row.name !== undefined) attempted.add(row.name);
    await step(run, row, async () => {
      await awaitSchedulePlace(table, livemode);
      await performTask(context, row, livemode);
    });
  };
  for await (const rows of due.pagesOf(table, list, new Date(now.getTime() + ahead)))
    if (!(await forEachUntil(rows, run.isOver, attempt))) return;
}

/** Calls `act` for each item, a few in parallel. @returns false if time ran out before the last item */
async function forEachUntil<T>(
  items: readonly T[],
  isOver: () => boolean,
  act: (item: T) => Promise<void>,
): Promise<boolean> {
  const remaining = items.values();
  const next = async () => {
    while (!isOver()) {
      const { value, done } = remaining.next();
      if (done) return;
      await act(value);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, next));
  return remaining.next().done === true;
}

/** Performs one task. Schedules a retry if it fails. @returns false if it has failed, and the retry could not be stored */
async function step({ context, source, onStep }: SourceRun, row: due.Row, act: () => Promise<void>): Promise<boolean> {
  const name = String(row.name ?? row.event_id ?? row.operation_id ?? row.member_id);
  const kind = row.kind;
  try {
    await act();
    onStep?.({ source, name, failed: false });
    return true;
  } catch (error) {
    logError(errorOf(error), { kind, id: name });
    onStep?.({ source, name, failed: true });
    return due.setBack(context.table, row, name, context.now).then(
      () => true,
      (failure: unknown) => {
        logError(errorOf(failure), { kind, id: name });
        return false;
      },
    );
  }
}

/**
 * Where a pass over Stripe's events begins at the latest: at least four days ago, one more than Stripe retries a delivery in live
 * mode. The same for a whole day, so that a day without events is not stored again and again.
 */
const latestStart = (now: Date): number => (Math.floor(now.getTime() / day) - 4) * (day / 1000);

/** Stores in the first run where its pass over the events begins. The run may end before it, and so may the runs after it. */
async function beginEvents({ table, now }: BillingContext): Promise<void> {
  if (!(await due.eventProgress(table))) await due.saveEventProgress(table, firstPass(now));
}

const firstPass = (now: Date): due.EventProgress => ({ since: latestStart(now) });

/**
 * Handles the events that Stripe could not deliver, from the newest back to the newest of the previous pass. Resumes an
 * interrupted pass. The first pass after a restore also handles the events that were delivered: the restored table lacks their
 * effects.
 *
 * @throws Error if an event has failed and its retry could not be stored, so that the pass must not go past it
 */
async function handleMissedEvents(run: SourceRun): Promise<void> {
  const { context, livemode } = run;
  const { table, billing, now } = context;
  const { epoch } = table.runtime;
  const stored = (await due.eventProgress(table)) ?? firstPass(now);
  // How far a pass over the events had come at the time of a restore says nothing about those since.
  let progress: due.EventProgress =
    (stored.epoch ?? 0) < epoch ? { since: stored.since, epoch, is_after_restore: true } : { ...stored, epoch };
  for (let hasMore = true; hasMore; ) {
    const { newest: _, after, ...pass } = progress;
    const page = await billing((stripe, options) =>
      stripe.events.list(
        {
          ...(!pass.is_after_restore && { delivery_success: false }),
          types: [...eventTypes],
          created: { gte: pass.since },
          limit: 100,
          ...(after !== undefined && { starting_after: after }),
        },
        options,
      ),
    ).catch(async (error: unknown) => {
      if (after !== undefined && refusalOf(error)) await due.saveEventProgress(table, pass);
      throw error;
    });
    const beforeAsking = () => awaitSchedulePlace(table, livemode);
    let isStored = true;
    const attempt = async (event: Stripe.Event) => {
      const handle = () => handleEvent(context, event, { livemode, beforeAsking });
      if (!(await step(run, { kind: "event", event_id: event.id }, handle))) isStored = false;
    };
    const isComplete = await forEachUntil(await unhandled(table, page.data), run.isOver, attempt);
    if (!isStored) throw new Error("An event that failed could not be stored");
    if (!isComplete) return;

    const newest = progress.newest ?? page.data[0]?.created ?? pass.since;
    const last = page.data.at(-1)?.id;
    hasMore = page.has_more && last !== undefined;
    // Overlaps by ten minutes, because Stripe may list an event late.
    const next = hasMore
      ? { ...pass, newest, after: last }
      : { since: Math.max(pass.since, newest - 600, latestStart(now)), epoch };
    if (!isDeepStrictEqual(next, progress)) await due.saveEventProgress(table, next);
    progress = next;
  }
}
