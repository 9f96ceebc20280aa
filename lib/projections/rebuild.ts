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
  /** Waits for the projections before their progress is checked again. */
  readonly pause: () => Promise<void>;
  /** Only report differences. */
  readonly isDryRun?: boolean;
};

/** How often the projections may come first with a change of their own. */
const attempts = 20;

/**
 * How many pauses to wait for the projections to reach a barrier: 150 seconds, because a record that cannot be read holds up
 * barriers for a minute.
 */
const maxPauses = 300;

/**
 * Counts a community again from its members, while it is in use, and puts right what its projections have wrong.
 *
 * A count that differs from the figures may have met changes that were on their way. So it is made again while the
 * projections note each change (`recount.ts`), between two barriers: behind the first everything is noted, and behind the
 * second all that the count has seen is in the figures. With what was noted beyond it, the count is exact, however busy
 * the community is.
 *
 * @returns what was wrong
 * @throws Overtaken if another rebuild of the community has begun since; Error if the projections make no progress
 */
export async function rebuild(context: RebuildContext, communityId: number): Promise<readonly string[]> {
  const { table, now } = context;
  const state = await readState(table, communityId);
  const sums = await readSums(table, communityId);
  const counted = await count(table, communityId);
  const isRight = (await differencesOf(context, { state, sums }, counted)).length === 0;
  // Where a rebuild has written figures before, records may have been set aside while it counted.
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

/** A count, and which revision of each item it is of. */
type Count = Counted & { readonly revisions: ReadonlyMap<string, number> };

/** The rebuild that made a count, and when it counted. */
type Recount = { readonly rebuildId: string; readonly recounted: NonNullable<StoredStats["recounted"]> };

/** What the projections keep of a community, as of one moment. */
type Kept = { readonly state: CommunityState; readonly sums: StoredSums };

/** Compares and repairs with a count that is brought up to the figures as they are; again where they have moved on. */
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

/** Whatever changes the sums of days changes the figures too, in the same transaction. */
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

/** How the figures and the row as they are kept differ from a count. */
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

/** Counts all members and their movements, and remembers which revision of each. */
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

/** Waits until all changes of members that were made before have been counted. */
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

/** How many days and months are put right in one transaction. */
const mostSums = 80;

/** @returns whether everything is put right now, or there are more days to be */
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
