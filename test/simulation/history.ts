import { createHash } from "node:crypto";
import { actors } from "./actors/actors.ts";
import { Scene } from "./actors/scene.ts";
import { Chance } from "./chance.ts";
import { afterwards, atOnce, meanwhile } from "./invariants/invariants.ts";
import { holdsOf, type PlanOptions, pairsOf, planOf, type Step } from "./plan.ts";
import { setUp } from "./setup.ts";
import { actFor } from "./world/causes.ts";
import { atStripe } from "./world/dashboard.ts";
import { expireItems, rebuildOnce, reconcileOnce } from "./world/schedules.ts";
import { downgrade, migrateMeanwhile } from "./world/upgrade.ts";
import type { Violation } from "./world/violation.ts";
import { type Figures, World, type WorldOptions } from "./world/world.ts";

const minute = 60_000;
const hour = 60 * minute;

export type Result = {
  readonly seed: string;
  readonly steps: number;
  readonly violations: readonly Violation[];
  readonly journal: readonly string[];
  /** Hash of the journal and of the table. Identical for the same seed. */
  readonly hash: string;
};

/** Options of a history that are independent of its seed. */
export type HistoryOptions = PlanOptions & WorldOptions;

/** Runs a history. @param steps all steps of the seed, or some of them */
export async function runHistory(
  seed: string,
  figures: Figures,
  options: HistoryOptions = {},
  steps: readonly Step[] = planOf(seed, options),
): Promise<Result> {
  const { holds = holdsOf(seed, options), recordsTouches } = options;
  const isOfPairs = pairsOf(seed, options) !== undefined;
  const world = new World(seed, figures, { holds, recordsTouches, isOfPairs });
  await world.timeline.until(
    live(world, steps).catch((error: unknown) => {
      if (!(error instanceof Restless)) throw error;
      world.violate("rest", "Requests, records or messages are still being handled after a week");
    }),
  );
  world.touches?.addTo(figures.touches);
  const { lines } = world.journal;
  const items = [...world.storage.storage.items()].map((item) => JSON.stringify(item)).toSorted();
  const hash = createHash("sha256")
    .update([...lines, ...items].join("\n"))
    .digest("hex")
    .slice(0, 12);
  return { seed, steps: steps.length, violations: world.answers.violations, journal: lines, hash };
}

async function live(world: World, steps: readonly Step[]): Promise<void> {
  await setUp(world);
  await quiet(world);
  world.faults.isOn = true;
  const ofStripe = new Chance(`${world.seed} delivery`);
  // The schedule handles events that Stripe lists up to ten minutes late.
  const unlisted_events_s = ofStripe.pick([0, 0, 10, 500]);
  await atStripe(world, "faults", { shuffle: ofStripe.is(0.5), unlisted_events_s });
  // What Stripe does not document.
  await atStripe(world, "faults", {
    billing_date: ofStripe.pick(["kept", "reset"]),
    pending_without_card: ofStripe.pick(["refused", "pending"]),
    canceled_pending_update: ofStripe.pick(["kept", "expired"]),
  });
  const running: Promise<unknown>[] = [];
  for (const step of steps) {
    await pass(world, step.gap);
    if (step.before === "migrate") running.push(migrateMeanwhile(world));
    else if (step.before) await stopAndDo(world, step.before);
    running.push(perform(world, step));
  }
  await Promise.all(running);
  world.faults.isOn = false;
  world.queues.redrive();
  await atStripe(world, "faults", { decline: 0, settle_days: 0 });
  await quiet(world);
  await putRight(world);
  await pass(world, 2 * minute);
  await quiet(world);
  if (world.isPastUnknown) {
    await migrateMeanwhile(world);
    await quiet(world);
  }
  await atOnce(world);
  // Late repetitions of requests are sent during this time.
  await pass(world, 52 * hour);
  await settle(world);
  await pass(world, 49 * hour);
  await quiet(world);
  await afterwards(world);
}

/** Waits until the system is idle in the middle of a history, and then checks or downgrades it. */
async function stopAndDo(world: World, what: "check" | "downgrade"): Promise<void> {
  world.faults.isOn = false;
  await quiet(world);
  await putRight(world);
  if (what === "downgrade") downgrade(world);
  else if (!world.isPastUnknown) await meanwhile(world);
  world.faults.isOn = true;
}

/** Redrives failed records, which are readable by now, and rebuilds the statistics if necessary. */
async function putRight(world: World): Promise<void> {
  await redriveOnce(world);
  const isLeft = world.failedRecords.stored.size > 0;
  if (!isLeft && !world.isMiscounted) return;
  // The first run may only complete an interrupted one.
  for (let run = 0; run < 2; run++) await world.busy(rebuildOnce(world));
  await quiet(world);
  world.isMiscounted = false;
  // Records that were changed during a rebuild can be redriven after the next rebuild.
  if (isLeft) await redriveOnce(world);
}

async function redriveOnce(world: World): Promise<void> {
  await world.busy(world.consumers.redrive());
  await quiet(world);
}

async function perform(world: World, { name, actor, act, subject, during }: Step): Promise<void> {
  const { acts } = world.figures;
  acts.set(actor, (acts.get(actor) ?? 0) + 1);
  const [, run] =
    (actors[actor].acts as Readonly<Record<string, readonly [number, (scene: Scene) => Promise<unknown>]>>)[act] ?? [];
  await world.holds.meetings.run(name, during, async () => {
    world.journal.note(`${name}: ${actor} ${act}`);
    await actFor({ name: `${actor}.${act}`, run: name }, async () => run?.(new Scene(world, name, subject)));
  });
  world.holds.ended(name);
}

/** How long the system may take to become idle, in milliseconds: longer than all retries of deliveries and events. */
const longestUnrest = 7 * 24 * hour;

/** Waits until the system is idle. Ends the history if it never is. */
async function quiet(world: World): Promise<void> {
  const end = world.timeline.now + longestUnrest;
  do {
    if (world.timeline.now > end) throw new Restless();
    await world.timeline.wait(1000);
    await world.stripe.settled();
  } while (!world.isQuiet);
}

/** The system never becomes idle. */
class Restless extends Error {}

/** Advances the time. Due actions at Stripe and the schedules run at their times. */
async function pass(world: World, milliseconds: number): Promise<void> {
  const { timeline, stripe } = world;
  const end = timeline.now + milliseconds;
  const interval = milliseconds < 6 * hour ? 15 * minute : milliseconds < 1500 * hour ? 8 * hour : 48 * hour;
  let tick = timeline.now + interval;
  for (;;) {
    const due = (stripe.nextDueAt() ?? Number.POSITIVE_INFINITY) * 1000;
    const next = Math.max(timeline.now, Math.min(due, tick, end));
    await timeline.wait(next - timeline.now);
    if (next === due || due <= timeline.now) stripe.catchUp();
    if (next === tick) {
      stripe.forget();
      await world.busy(reconcileOnce(world));
      if (interval > hour) expireItems(world, 0.3);
      tick = timeline.now + interval;
    }
    if (timeline.now >= end) return;
  }
}

/** Settles every pending refund, and decides every appeal. A rejection waits for both. */
async function settle(world: World): Promise<void> {
  const { refunds, appeals } = world.stripe.act((account) => ({
    refunds: [...account.rows("refund")].filter(({ status }) => status === "pending"),
    appeals: [...account.rows("dispute")].filter(({ status }) => status === "appeal_under_review"),
  }));
  for (const { id } of refunds) await atStripe(world, `refunds/${id}`, { status: "succeeded" });
  for (const { charge } of appeals)
    await atStripe(world, "disputes", { charge, status: world.chance.pick(["won", "lost"]) });
}
