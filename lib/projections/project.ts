import { keepDays } from "../domain/figure-days.ts";
import { apply, type Figures, noFigures } from "../domain/figures.ts";
import { addDays, type SumsByDay } from "../domain/series.ts";
import { backOff } from "../runtime.ts";
import { Conflict } from "../store/failure.ts";
import { addToDays } from "../store/series.ts";
import type { Redriven } from "../store/set-aside.ts";
import { putStats } from "../store/stats.ts";
import { markSeen, seenOf } from "../store/stream-records.ts";
import type { Write, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { type CommunityState, countedDays, moveRowOf, readState, rowIsStill, rowOf } from "./community-state.ts";
import type { Effect } from "./effects.ts";
import { isRecounted, noteChanges } from "./recount.ts";

/** The record has been counted before. */
class Seen extends Error {
  override readonly name = "Seen";
}

/** Maximum number of conflicts with other writers, such as consumers of other shards or edits of the community. */
const attempts = 10;

/**
 * Counts effects on one community in one transaction: the figures, the sums of days, the directory row, and a marker
 * per effect, so that each effect is counted exactly once. Omits redriven changes that a rebuild has already counted.
 */
export async function project(
  table: Writer,
  communityId: number,
  effects: readonly Effect[],
  { now, isRedriven = false }: Redriven & { readonly now: Date },
): Promise<void> {
  let left = effects;
  for (let tried = 1; ; tried++) {
    const state = await readState(table, communityId);
    if (isRedriven) left = left.filter((effect) => !isRecounted(state.stats?.recounted, effect));
    if (left.length === 0) return;
    try {
      await write(table, writesOf(state, left, { now, isRedriven, rowTime: table.runtime.now() }));
      return;
    } catch (error) {
      if (error instanceof Seen) left = await unseen(table, left);
      else if (!(error instanceof Conflict) || tried >= attempts) throw error;
      else await backOff(table.runtime, tried);
    }
  }
}

async function unseen(table: Writer, effects: readonly Effect[]): Promise<readonly Effect[]> {
  const seen = await seenOf(
    table,
    effects.map(({ eventId }) => eventId),
  );
  return effects.filter(({ eventId }) => !seen.has(eventId));
}

/**
 * The writes of a transaction. The markers come first, so that an effect that was counted before is not reported as a conflict.
 *
 * @param rowTime time of this attempt, because readers of the directory find rows by their time
 */
function writesOf(
  state: CommunityState,
  effects: readonly Effect[],
  { now, isRedriven, rowTime }: Redriven & { readonly now: Date; readonly rowTime: Date },
): Write[] {
  const { communityId, stats } = state;
  const figures = keepDays(effects.reduce(after, stats ?? noFigures), now);
  const row = rowOf(state, figures);
  const isMoved = row && (effects.some(({ kind }) => kind === "row") || isStale(state, figures));
  const barrier = effects.findLast(({ kind }) => kind === "barrier");
  const counted = effects.filter((effect) => effect.kind === "counted");
  const changes = (stats?.changes ?? 0) + counted.length;
  const days = counted.reduce<SumsByDay>((all, { change }) => addDays(all, change.days), {});
  const isCounted = barrier !== undefined || changes !== stats?.changes;
  return [
    ...effects.map(({ eventId }) => markSeen(eventId, { now, isRedriven, otherwise: new Seen(eventId) })),
    ...(isCounted
      ? [
          putStats(communityId, stats, {
            ...figures,
            changes,
            barrier: barrier?.kind === "barrier" ? barrier.nonce : (stats?.barrier ?? null),
          }),
        ]
      : []),
    ...addToDays(communityId, countedDays(state, days)),
    ...(state.notedFor !== undefined ? noteChanges(communityId, changes, effects, now) : []),
    ...(isMoved ? moveRowOf(state, row, rowTime) : []),
    // Makes the transaction fail if the community is unarchived at the same time, because its new row would lack these
    // changes.
    ...(row && !isMoved && !row.is_listed ? [rowIsStill(state)] : []),
  ];
}

const after = (figures: Figures, effect: Effect): Figures =>
  effect.kind === "counted" ? apply(figures, effect.change) : figures;

/** Whether the figures in the directory row differ from these. The row of an unlisted community has no figures. */
function isStale(state: CommunityState, figures: Figures): boolean {
  const then = rowOf(state, state.stats);
  const now = rowOf(state, figures);
  if (!now?.is_listed) return false;
  if (state.community?.directory_key === undefined) return true;
  return (["member_count", "joiners", "trend_score"] as const).some((name) => then?.[name] !== now[name]);
}
