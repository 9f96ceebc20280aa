import { keepDays } from "../domain/figure-days.ts";
import { apply, changeOf, type Figures, noFigures } from "../domain/figures.ts";
import { newUuid } from "../ids.ts";
import { keyOf } from "../store/directory-rows.ts";
import { Conflict } from "../store/failure.ts";
import { type Key, keys, prefixOf } from "../store/keys.ts";
import { fromItem } from "../store/members/item.ts";
import { putStats } from "../store/stats.ts";
import type { Reader, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { type CommunityState, moveRowOf, readState, rowOf } from "./community-state.ts";
import { differences, rowDifferences } from "./differences.ts";

export type RebuildContext = {
  readonly table: Writer;
  readonly now: () => Date;
  /** Lets the projections come on, before the next look at how far they are. */
  readonly pause: () => Promise<void>;
  /** Only tells what is wrong. */
  readonly isDryRun?: boolean;
};

/** How often a community is counted again that changes while it is counted. */
const attempts = 20;

/** How many pauses to wait for the projections to reach a barrier. */
const maxPauses = 120;

/**
 * Counts a community again from its members, while it is in use, and puts right what its projections have wrong.
 *
 * A count differs from the figures also while changes are on their way through the stream. So a barrier is sent after
 * them: where it arrives and nothing has been counted since before the count, nothing was on its way.
 *
 * @returns what was wrong
 * @throws Error where the projections do not come on, or the community never stands still
 */
export async function rebuild(context: RebuildContext, communityId: number): Promise<readonly string[]> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await lookAt(context, communityId);
    if (before.wrong.length === 0) return [];
    await passBarrier(context, communityId);
    const after = await lookAt(context, communityId, before.counted);
    if (changesOf(after.state) !== changesOf(before.state)) continue;
    if (context.isDryRun || after.wrong.length === 0) return after.wrong;
    try {
      await repair(context, after.state, before.counted);
      return after.wrong;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
  throw new Error(`Community ${communityId} has changed all the while it was counted: try again later`);
}

const changesOf = ({ stats }: CommunityState): number => stats?.changes ?? 0;

/** The figures as they are kept, a count of the members, and how they differ. The count comes after the figures. */
async function lookAt({ table, now }: RebuildContext, communityId: number, known?: Figures) {
  const state = await readState(table, communityId);
  const counted = keepDays(known ?? (await count(table, communityId)), now());
  const { stats, community } = state;
  const key = community?.directory_key;
  const row = key === undefined ? undefined : await table.get(keyOf(key));
  const wrong = [
    ...differences(keepDays(stats ?? noFigures, now()), counted),
    ...rowDifferences(row, rowOf(state, counted)),
  ];
  return { state, counted, wrong };
}

async function count(table: Reader, communityId: number): Promise<Figures> {
  let figures = noFigures;
  let after: Key | undefined;
  do {
    const page = await table.query({ pk: keys.member(communityId, 0).pk, prefix: prefixOf("member").sk, after });
    for (const item of page.items) {
      const change = changeOf(undefined, fromItem(item));
      if (change) figures = apply(figures, change);
    }
    after = page.last;
  } while (after);
  return figures;
}

/** Waits until all changes of members that were made before have been counted. */
async function passBarrier({ table, now, pause }: RebuildContext, communityId: number): Promise<void> {
  const nonce = newUuid(table.runtime.random);
  const expires_at = Math.floor(now().getTime() / 1000) + 3600;
  await write(table, [{ put: { ...keys.barrier(communityId), nonce, expires_at } }]);
  for (let pauses = 1; pauses <= maxPauses; pauses++) {
    await pause();
    const { stats } = await readState(table, communityId);
    if (stats?.barrier === nonce) return;
  }
  throw new Error("The projections do not come on: is their function failing?");
}

async function repair({ table, now }: RebuildContext, state: CommunityState, counted: Figures): Promise<void> {
  const { communityId, stats } = state;
  const row = rowOf(state, counted);
  await write(table, [
    putStats(communityId, stats, { ...counted, changes: changesOf(state), barrier: stats?.barrier ?? null }),
    ...(row ? moveRowOf(state, row, now()) : []),
  ]);
}
