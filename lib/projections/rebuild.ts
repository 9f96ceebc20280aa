import { keepDays } from "../domain/figure-days.ts";
import { apply, changeOf, type Figures, noFigures } from "../domain/figures.ts";
import { newUuid } from "../ids.ts";
import { keyOf } from "../store/directory-rows.ts";
import { Conflict } from "../store/failure.ts";
import { type Key, keys, prefixOf } from "../store/keys.ts";
import { fromItem, revisionOf } from "../store/members/item.ts";
import { putStats } from "../store/stats.ts";
import type { Reader, Writer } from "../store/table.ts";
import { type Write, write } from "../store/write.ts";
import { type CommunityState, moveRowOf, readState, rowOf } from "./community-state.ts";
import { differences, rowDifferences } from "./differences.ts";
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

/** How many pauses to wait for the projections to reach a barrier. */
const maxPauses = 120;

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
  const { figures } = await count(table, communityId);
  if ((await differencesOf(context, state, figures)).length === 0) return [];

  const rebuildId = await startNoting(table, communityId, now());
  try {
    await passBarrier(context, communityId, rebuildId);
    const counted = await count(table, communityId);
    await passBarrier(context, communityId, rebuildId);
    return await correct(context, communityId, { ...counted, rebuildId });
  } finally {
    await stopNoting(table, communityId, rebuildId);
  }
}

type Count = { readonly figures: Figures; readonly revisions: ReadonlyMap<number, number> };

/** Compares and repairs with a count that is brought up to the figures as they are; again where they have moved on. */
async function correct(
  context: RebuildContext,
  communityId: number,
  { figures, revisions, rebuildId }: Count & { readonly rebuildId: string },
) {
  for (let tried = 1; ; tried++) {
    const state = await readState(context.table, communityId);
    if (state.notedFor !== rebuildId) throw new Overtaken();
    const noted = await notedChanges(context.table, communityId, changesOf(state));
    const missing = noted.filter(({ memberId, revision }) => revision > (revisions.get(memberId) ?? 0));
    const exact = missing.reduce((sum, { change }) => apply(sum, change), figures);
    const wrong = await differencesOf(context, state, exact);
    if (context.isDryRun || wrong.length === 0) return wrong;
    try {
      await repair(context, state, exact, isStillNoted(communityId, rebuildId));
      return wrong;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
    }
  }
}

const changesOf = ({ stats }: CommunityState): number => stats?.changes ?? 0;

/** How the figures and the row as they are kept differ from a count. */
async function differencesOf({ table, now }: RebuildContext, state: CommunityState, counted: Figures) {
  const key = state.community?.directory_key;
  const row = key === undefined ? undefined : await table.get(keyOf(key));
  const recent = keepDays(counted, now());
  return [
    ...differences(keepDays(state.stats ?? noFigures, now()), recent),
    ...rowDifferences(row, rowOf(state, recent)),
  ];
}

/** Counts all members, and remembers which revision of each. */
async function count(table: Reader, communityId: number): Promise<Count> {
  let figures = noFigures;
  const revisions = new Map<number, number>();
  let after: Key | undefined;
  do {
    const page = await table.query({ pk: keys.member(communityId, 0).pk, prefix: prefixOf("member").sk, after });
    for (const item of page.items) {
      const member = fromItem(item);
      const change = changeOf(undefined, member);
      if (change) figures = apply(figures, change);
      revisions.set(member.id, revisionOf(member));
    }
    after = page.last;
  } while (after);
  return { figures, revisions };
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

async function repair(
  { table, now }: RebuildContext,
  state: CommunityState,
  exact: Figures,
  condition: Write,
): Promise<void> {
  const { communityId, stats } = state;
  const counted = keepDays(exact, now());
  const row = rowOf(state, counted);
  await write(table, [
    condition,
    putStats(communityId, stats, { ...counted, changes: changesOf(state), barrier: stats?.barrier ?? null }),
    ...(row ? moveRowOf(state, row, now()) : []),
  ]);
}
