import { keepDays } from "../domain/figure-days.ts";
import { apply, type Change, changeOf, type Figures, noFigures } from "../domain/figures.ts";
import { addDays, addSums, type Sums, type SumsByDay } from "../domain/series.ts";
import { newUuid } from "../ids.ts";
import { backOff } from "../runtime.ts";
import { keyOf } from "../store/directory-rows.ts";
import { Conflict } from "../store/failure.ts";
import { type Key, keys, prefixOf } from "../store/keys.ts";
import { fromItem, revisionOf } from "../store/members/item.ts";
import { putSums, readSums, type StoredSums } from "../store/series.ts";
import { putStats, type StoredStats } from "../store/stats.ts";
import type { Reader, Write, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { type CommunityState, countedDays, moveRowOf, readState, rowOf } from "./community-state.ts";
import { differences, rowDifferences, sumDifferences, wrongSums } from "./differences.ts";
import { daysOfMovement } from "./effects.ts";
import { isStillNoted, notedChanges, Overtaken, startNoting, stopNoting } from "./recount.ts";

export type RebuildContext = {
  readonly table: Writer;
  readonly now: () => Date;
  /** Pauses before the progress of the projections is checked again. */
  readonly pause: () => Promise<void>;
  /** Whether to only report differences. */
  readonly isDryRun?: boolean;
};

/** Maximum number of conflicts with the projections. */
const attempts = 20;

/**
 * Maximum number of pauses until the projections reach a barrier: 150 seconds, because an unreadable record delays barriers
 * for a minute.
 */
const maxPauses = 300;

/**
 * Recounts a community from its members while it is in use, and corrects its projections.
 *
 * If the first count differs from the figures, some changes may still have been in the stream. The count is then
 * repeated while the projections store each change (`recount.ts`), between two barriers: after the first barrier, all
 * changes are stored; after the second one, the figures include everything that was counted. With the stored changes,
 * the count is exact even if the community is busy.
 *
 * @returns descriptions of the differences
 * @throws Overtaken if another rebuild of the community has begun since; Error if the projections make no progress
 */
export async function rebuild(context: RebuildContext, communityId: number): Promise<readonly string[]> {
  const { table, now } = context;
  const state = await readState(table, communityId);
  const sums = await readSums(table, communityId);
  const counted = await count(table, communityId);
  const isRight = (await differencesOf(context, { state, sums }, counted)).length === 0;
  // Figures that an earlier rebuild has written may be wrong even if they equal this count, because records may have
  // been set aside while that rebuild counted.
  if (isRight && (context.isDryRun || !state.stats?.recounted)) return [];

  const rebuildId = await startNoting(table, communityId, now());
  try {
    await passBarrier(context, communityId, rebuildId);
    const from = now().toISOString();
    const again = await count(table, communityId);
    const recounted = { from, to: now().toISOString() };
    await passBarrier(context, communityId, rebuildId);
    return await correct(context, communityId, { ...again, rebuildId, recounted });
  } finally {
    await stopNoting(table, communityId, rebuildId);
  }
}

type Counted = { readonly figures: Figures; readonly days: SumsByDay };

/** A count, with the revision of each counted item. */
type Count = Counted & { readonly revisions: ReadonlyMap<string, number> };

/** The rebuild that made a count, and the time span in which it counted. */
type Recount = { readonly rebuildId: string; readonly recounted: NonNullable<StoredStats["recounted"]> };

/** The stored projections of a community at one time. */
type Kept = { readonly state: CommunityState; readonly sums: StoredSums };

/**
 * Adds later changes to the count until it matches the time of the current figures, compares both, and corrects the
 * projections. Starts again if the figures change meanwhile.
 */
async function correct(
  context: RebuildContext,
  communityId: number,
  { figures, days, revisions, rebuildId, recounted }: Count & Recount,
) {
  const found = new Set<string>();
  for (let tried = 1; ; tried++) {
    const kept = await readKept(context.table, communityId);
    const { state } = kept;
    if (state.notedFor !== rebuildId) throw new Overtaken();
    const noted = await notedChanges(context.table, communityId, changesOf(state));
    const missing = noted.filter(({ sk, revision }) => revision > (revisions.get(sk) ?? 0));
    const exact = missing.reduce<Counted>(add, { figures, days });
    const wrong = await differencesOf(context, kept, exact);
    for (const line of wrong) found.add(line);
    if (context.isDryRun) return [...found];
    try {
      const condition = isStillNoted(communityId, rebuildId);
      const isWhole = await repair(context, kept, { ...exact, recounted }, condition);
      if (isWhole) return [...found];
      tried = 0;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      found.clear();
    }
  }
}

const add = ({ figures, days }: Counted, { change }: { readonly change: Change }): Counted => ({
  figures: apply(figures, change),
  days: addDays(days, change.days),
});

/**
 * Reads the stored projections. The reads are consistent with each other, because every write of sums changes the
 * figures in the same transaction.
 */
async function readKept(table: Reader, communityId: number): Promise<Kept> {
  for (let tried = 1; ; tried++) {
    const before = await readState(table, communityId);
    const sums = await readSums(table, communityId);
    const state = await readState(table, communityId);
    if (before.stats?.version === state.stats?.version) return { state, sums };
    if (tried === attempts) throw new Conflict("The figures change all the time");
    await backOff(table.runtime, tried);
  }
}

const changesOf = ({ stats }: CommunityState): number => stats?.changes ?? 0;

/** Descriptions of differences between the stored figures and row and a count. */
async function differencesOf({ table, now }: RebuildContext, { state, sums }: Kept, counted: Counted) {
  const key = state.community?.directory_key;
  const row = key === undefined ? undefined : await table.get(keyOf(key));
  const recent = keepDays(counted.figures, now());
  return [
    ...differences(keepDays(state.stats ?? noFigures, now()), recent),
    ...sumDifferences(sums, countedDays(state, counted.days)),
    ...rowDifferences(row, rowOf(state, recent)),
  ];
}

/** Counts all members and their movements, with their revisions. */
async function count(table: Reader, communityId: number): Promise<Count> {
  let figures = noFigures;
  const days = new Map<string, Sums>();
  const addAll = (more: SumsByDay) => {
    for (const [day, sums] of Object.entries(more)) days.set(day, addSums(days.get(day) ?? {}, sums));
  };
  const revisions = new Map<string, number>();
  for await (const item of itemsOf(table, communityId, "member")) {
    const member = fromItem(item);
    const change = changeOf(undefined, member);
    if (change) figures = apply(figures, change);
    addAll(change?.days ?? {});
    revisions.set(String(item.sk), revisionOf(member));
  }
  for await (const item of itemsOf(table, communityId, "movement")) {
    addAll(daysOfMovement(item));
    revisions.set(String(item.sk), 1);
  }
  return { figures, days: Object.fromEntries(days), revisions };
}

async function* itemsOf(table: Reader, communityId: number, kind: "member" | "movement") {
  let after: Key | undefined;
  do {
    const page = await table.query({ pk: keys.member(communityId, 0).pk, prefix: prefixOf(kind).sk, after });
    yield* page.items;
    after = page.last;
  } while (after);
}

/** Waits until all earlier changes of members have been counted. */
async function passBarrier({ table, now, pause }: RebuildContext, communityId: number, rebuildId: string) {
  const nonce = newUuid(table.runtime.random);
  const expires_at = Math.floor(now().getTime() / 1000) + 3600;
  await write(table, [{ put: { ...keys.barrier(communityId), nonce, expires_at } }]);
  for (let pauses = 1; pauses <= maxPauses; pauses++) {
    await pause();
    const { stats, notedFor } = await readState(table, communityId);
    if (notedFor !== rebuildId) throw new Overtaken();
    if (stats?.barrier === nonce) return;
  }
  throw new Error("The projections make no progress. Check whether their function fails");
}

/** Maximum number of days and months that are corrected in one transaction. */
const mostSums = 80;

/** @returns true if everything is corrected, false if there are more days to correct */
async function repair(
  { table, now }: RebuildContext,
  { state, sums }: Kept,
  exact: Counted & Pick<Recount, "recounted">,
  condition: Write,
): Promise<boolean> {
  const { communityId, stats } = state;
  const counted = keepDays(exact.figures, now());
  const wrong = wrongSums(sums, countedDays(state, exact.days));
  const row = rowOf(state, counted);
  await write(table, [
    condition,
    putStats(communityId, stats, {
      ...counted,
      changes: changesOf(state),
      barrier: stats?.barrier ?? null,
      recounted: exact.recounted,
    }),
    ...(row ? moveRowOf(state, row, now()) : []),
    ...wrong.slice(0, mostSums).map(({ on, is }) => putSums(communityId, on, is)),
  ]);
  return wrong.length <= mostSums;
}
