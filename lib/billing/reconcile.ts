import type Stripe from "stripe";
import { logError } from "../log.ts";
import * as due from "../store/due.ts";
import { unhandled } from "../store/members/sync.ts";
import type { BillingContext } from "./context.ts";
import { eventTypes, handleEvent } from "./events.ts";
import { awaitTurn } from "./pace.ts";
import { perform } from "./reconcile-tasks.ts";
import { refusalOf } from "./stripe.ts";

/** What is walked through, one after the other; what failed there before comes before Stripe is asked for more. */
const sources = ["operations", "members", "failed", "events"] as const;

export type Step = { readonly source: (typeof sources)[number]; readonly name: string; readonly failed: boolean };

export type ReconcileOptions = {
  readonly livemode: boolean;
  /** How many milliseconds there are: each source has its share of them. */
  readonly left: () => number;
  /** Called after each thing that was looked at. */
  readonly onStep?: (step: Step) => void;
  /** Attempts all that has failed now, however late its next attempt would be. */
  readonly retriesAll?: boolean;
};

type Run = ReconcileOptions & {
  readonly context: BillingContext;
  readonly source: Step["source"];
  readonly isOver: () => boolean;
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** How many things are looked at together: few, as Stripe serves requests before the schedule. */
const concurrency = 4;

/**
 * Finds all that a crash or a lost event may have left, and finishes it: operations that were begun and not finished,
 * members whose period has ended without a word, events that Stripe could not deliver. A source that cannot be read
 * stops no other; what fails is attempted again later and later, apart from the rest.
 *
 * @returns how many things were done and failed in this run; how many that ever failed are unfinished, and how many of
 * them are set aside
 */
export async function reconcile(context: BillingContext, options: ReconcileOptions) {
  const report = { done: 0, failed: 0 };
  let unread = 0;
  const onStep = (one: Step) => {
    report[one.failed ? "failed" : "done"]++;
    options.onStep?.(one);
  };
  for (const [n, source] of sources.entries()) {
    const left = options.left();
    const end = left - left / (sources.length - n);
    const run: Run = { ...options, onStep, context, source, isOver: () => options.left() <= end };
    try {
      await (source === "events" ? walkEvents(run) : walkList(run, source));
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

async function walkList(run: Run, list: due.List): Promise<void> {
  const { context, livemode, retriesAll } = run;
  const { table, now } = context;
  // An operation that has just begun is being done.
  const ahead = list === "operations" ? -2 * minute : list === "failed" && retriesAll ? day : 0;
  const seen = new Set<unknown>();
  const look = async (row: due.Row) => {
    // What fails again moves to a later place of the same list.
    if (seen.has(row.name)) return;
    if (row.name !== undefined) seen.add(row.name);
    await step(run, row, async () => {
      await awaitTurn(table, livemode);
      await perform(context, row, livemode);
    });
  };
  for await (const rows of due.pagesOf(table, list, new Date(now.getTime() + ahead)))
    if (!(await eachOf(rows, run.isOver, look))) return;
}

/** Does something with each, a few together. @returns false where the time was over before */
async function eachOf<T>(all: readonly T[], isOver: () => boolean, act: (one: T) => Promise<void>): Promise<boolean> {
  const left = all.values();
  const next = async () => {
    while (!isOver()) {
      const { value, done } = left.next();
      if (done) return;
      await act(value);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, next));
  return left.next().done === true;
}

/** Does one thing; where it fails, it is set back. */
async function step({ context, source, onStep }: Run, row: due.Row, act: () => Promise<void>): Promise<void> {
  const name = String(row.name ?? row.event_id ?? row.operation_id ?? row.member_id);
  const kind = row.kind;
  try {
    await act();
    onStep?.({ source, name, failed: false });
  } catch (error) {
    logError(errorOf(error), { kind, id: name });
    onStep?.({ source, name, failed: true });
    await due.setBack(context.table, row, name, context.now).catch((failure: unknown) => {
      logError(errorOf(failure), { kind, id: name });
    });
  }
}

/**
 * Handles the events that Stripe could not deliver, from the newest back to where the last walk began: those of the last
 * four days at first, a day longer than Stripe tries to deliver an event in live mode. A walk that was interrupted goes
 * on first.
 */
async function walkEvents(run: Run): Promise<void> {
  const { context, livemode } = run;
  const { table, billing, now } = context;
  const first = { since: Math.floor((now.getTime() - 4 * day) / 1000) };
  let progress: due.EventProgress = (await due.eventProgress(table)) ?? first;
  for (let hasMore = true; hasMore; ) {
    const { since, after } = progress;
    const page = await billing((stripe, options) =>
      stripe.events.list(
        {
          delivery_success: false,
          types: [...eventTypes],
          created: { gte: since },
          limit: 100,
          ...(after !== undefined && { starting_after: after }),
        },
        options,
      ),
    ).catch(async (error: unknown) => {
      if (after !== undefined && refusalOf(error)) await due.saveEventProgress(table, { since });
      throw error;
    });
    const beforeAsking = () => awaitTurn(table, livemode);
    const look = (event: Stripe.Event) =>
      step(run, { kind: "event", event_id: event.id }, () => handleEvent(context, event, { livemode, beforeAsking }));
    if (!(await eachOf(await unhandled(table, page.data), run.isOver, look))) return;

    const newest = progress.newest ?? page.data[0]?.created ?? since;
    const last = page.data.at(-1)?.id;
    hasMore = page.has_more && last !== undefined;
    // Stripe may list an event a little late.
    const next = hasMore ? { since, newest, after: last } : { since: Math.max(since, newest - 600) };
    if (next.since !== since || next.after !== after) await due.saveEventProgress(table, next);
    progress = next;
  }
}
