import { triggerTimeLimits } from "#lib/contract/time-limits.ts";
import { tableSchema } from "#lib/store/table-schema.ts";
import { compactAlone } from "../../../functions/triggers/compact-directory.ts";
import { finishWork } from "../../../functions/triggers/reconcile.ts";
import { rebuildAll } from "../../../tools/scripts/rebuild-all.ts";
import { Crashed } from "./invocation.ts";
import { ofKind } from "./records.ts";
import type { World } from "./world.ts";

/** Runs a schedule or an operator's command. Returns its result, or undefined if it crashed. */
const orCrashed = async <T>(run: Promise<T>): Promise<T | undefined> =>
  run.catch((error: unknown) => {
    if (error instanceof Crashed) return undefined;
    throw error;
  });

/**
 * Runs the schedule that runs every 15 minutes. A run that does other work must first have tried the erasure that has
 * waited the longest.
 */
export async function reconcileOnce(world: World, { isSluggish = false } = {}): Promise<void> {
  const { skew } = world.chance.pick(world.environments) ?? { skew: 0 };
  const report = { done: 0, failed: 0 };
  const options = { lifetime: 1000 * triggerTimeLimits.reconcile, skew, isSluggish };
  const waiting = longestWaiting(world);
  await orCrashed(
    world
      .invoke("reconcile", options, async (mount, { context }) => {
        if (!mount.billing) throw new Error("There is no billing");
        const run = await finishWork(context, {
          table: mount.table(),
          billing: mount.billing,
          outside: world.erasing.outside,
          now: mount.now(),
          livemode: false,
          onStep: ({ name, failed }) => {
            report[failed ? "failed" : "done"]++;
            if (failed) world.setBack.add(name);
          },
        });
        const isOtherDone = report.done + report.failed > 0;
        const isLeft = waiting !== undefined && waiting === longestWaiting(world);
        if (run?.failed_erasures === 0 && isOtherDone && isLeft)
          world.violate("erasures", `the schedule did other work, and not the erasure of ${waiting}`);
        report.failed += run?.failed_erasures ?? 0;
      })
      .catch((error: unknown) => {
        if (error instanceof Crashed) throw error;
        world.journal.note(`reconcile failed: ${String(error)}`);
      }),
  );
  if (report.done + report.failed > 0) world.journal.note(`reconcile: ${report.done} done, ${report.failed} failed`);
}

type DueErasure = { readonly name: string; readonly due: number };

/** The erasure that the schedule has to look at first. */
export function nextErasure(world: World): DueErasure | undefined {
  const erasures = ofKind(world, "erasure").flatMap(({ user_id, due_at }) =>
    typeof due_at === "string" ? [{ name: `user ${String(user_id)} at ${due_at}`, due: Date.parse(due_at) }] : [],
  );
  return erasures.toSorted((a, b) => a.due - b.due)[0];
}

/** The erasure that has waited the longest, if it is due by all clocks. */
function longestWaiting(world: World): string | undefined {
  const next = nextErasure(world);
  return next && next.due < world.timeline.now - 10 * 60_000 ? next.name : undefined;
}

/** Runs the schedule that writes snapshots of the directory. It writes one whatever its size. */
export async function compactOnce(world: World): Promise<void> {
  const lifetime = 1000 * triggerTimeLimits["compact-directory"];
  const run = world.invoke("compact", { lifetime }, async (mount) => {
    const options = { objects: world.bucket, rows: 1, changes: () => 1 };
    return (await compactAlone(mount.table(), mount.now(), options)) ?? "already running";
  });
  const result = await orCrashed(run.catch((error: unknown) => failureOf(error)));
  world.journal.note(`compaction: ${result ?? "crashed"}`);
}

/** Rebuilds all statistics. @returns the differences */
export async function rebuildOnce(world: World, { isSluggish = false } = {}): Promise<readonly string[]> {
  const wrong: string[] = [];
  const run = world.invoke("rebuild", { lifetime: 3_600_000, isSluggish }, async (mount) => {
    const context = { table: mount.table(), now: mount.now, pause: () => mount.wait(500) };
    await rebuildAll(context, { onProgress: () => {}, onWrong: (line) => wrong.push(line) });
    return "done";
  });
  const result = await orCrashed(run.catch((error: unknown) => failureOf(error)));
  world.journal.note(`rebuild: ${result ?? "crashed"}, ${wrong.length} wrong`);
  return wrong;
}

function failureOf(error: unknown): string {
  if (error instanceof Crashed) throw error;
  return String(error);
}

/** The next time at which an item expires, in milliseconds. */
export function nextExpiry({ storage: { storage }, timeline }: World): number {
  const seconds = Array.from(storage.items(), (item) => Number(item[tableSchema.ttl]?.N ?? Infinity) + 1);
  return Math.min(...seconds.map((at) => 1000 * at).filter((at) => at > timeline.now));
}

/** Deletes some of the expired items, as DynamoDB does within two days. */
export function expireItems(world: World, probability: number): void {
  const { storage, stream } = world.storage;
  const seconds = world.timeline.now / 1000;
  for (const item of Array.from(storage.items())) {
    const expires = item[tableSchema.ttl]?.N;
    if (expires === undefined || Number(expires) > seconds || !world.chance.is(probability)) continue;
    if (item.pk?.S?.startsWith("IDEMPOTENCY#")) world.faults.note("record_lapsed");
    storage.replace(item, undefined);
    const key = { pk: item.pk ?? {}, sk: item.sk ?? {} };
    stream.append({ key, before: item, after: undefined });
  }
}
