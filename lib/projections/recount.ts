import * as v from "valibot";
import { Figures } from "../domain/figures.ts";
import { sumNames } from "../domain/series.ts";
import { newUuid } from "../ids.ts";
import { Conflict } from "../store/failure.ts";
import { keys } from "../store/keys.ts";
import { queryAll } from "../store/query-all.ts";
import type { StoredStats } from "../store/stats.ts";
import type { Reader, Write, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { clockMargin } from "../values/clock-margin.ts";
import type { Effect } from "./effects.ts";

/**
 * Changes that the projections have counted during a recount. The transaction that counts a change also stores it, so
 * that a count that takes minutes can be brought up to date. A stored change is added unless the count read the item at
 * that revision or a later one.
 */
const NotedChanges = v.array(
  v.object({
    /** The end of the sort key of the counted item. */
    sk: v.string(),
    revision: v.number(),
    change: v.object({
      ...v.omit(Figures, ["trend_score"]).entries,
      days: v.record(v.string(), v.record(v.picklist(sumNames), v.number())),
      joins: v.array(
        v.pipe(
          v.string(),
          v.transform((at) => new Date(at)),
        ),
      ),
    }),
  }),
);
type NotedChanges = v.InferOutput<typeof NotedChanges>;

/** How long changes are collected and kept, in seconds. Much longer than any count takes. */
const keptSeconds = 6 * 60 * 60;

const expiryOf = (now: Date): number => Math.floor(now.getTime() / 1000) + keptSeconds;

/**
 * Makes the projections store changes from their next batch on, until this rebuild or a later one stops it.
 *
 * @returns the id of this rebuild
 */
export async function startNoting(table: Writer, communityId: number, now: Date): Promise<string> {
  const rebuild_id = newUuid(table.runtime.random);
  await write(table, [{ put: { ...keys.recount(communityId), rebuild_id, expires_at: expiryOf(now) } }]);
  return rebuild_id;
}

export const stopNoting = (table: Writer, communityId: number, rebuild_id: string): Promise<void> =>
  write(table, [{ delete: keys.recount(communityId), when: { is: { rebuild_id } } }]).catch((error: unknown) => {
    // A conflict means that a later rebuild is collecting changes, which must not be stopped.
    if (!(error instanceof Conflict)) throw error;
  });

/** A condition that makes its transaction throw Overtaken if changes are no longer collected for this rebuild. */
export const isStillNoted = (communityId: number, rebuild_id: string): Write => ({
  check: keys.recount(communityId),
  when: { is: { rebuild_id } },
  otherwise: new Overtaken(),
});

/** A later rebuild of the community has begun, and may have stopped the collection of changes. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";

  constructor() {
    super("Another rebuild of the community has begun since");
  }
}

/**
 * Whether the last rebuild has counted the change of a redriven record. The figures then contain the change, although
 * the record itself was never counted.
 *
 * @throws Error if the change was made while the rebuild counted, because the rebuild may or may not have counted it
 */
export function isRecounted(recounted: StoredStats["recounted"], { at }: Effect): boolean {
  if (!recounted) return false;
  const changedAt = Date.parse(at);
  if (changedAt < Date.parse(recounted.from) - clockMargin) return true;
  if (changedAt > Date.parse(recounted.to) + clockMargin) return false;
  throw new Error("The change was made during a rebuild. Run the rebuild again before the redrive");
}

/** Stores changes, under the number of changes counted so far. */
export function noteChanges(communityId: number, changes: number, effects: readonly Effect[], now: Date): Write[] {
  const noted = effects.filter(({ kind }) => kind === "counted");
  if (noted.length === 0) return [];
  // Stored as JSON, which also converts times to text.
  const text = JSON.stringify(noted);
  return [{ put: { ...keys.recountedChanges(communityId, changes), noted: text, expires_at: expiryOf(now) } }];
}

/** The stored changes up to the given number of counted changes. */
export async function notedChanges(table: Reader, communityId: number, changes: number): Promise<NotedChanges> {
  const { pk, sk: to } = keys.recountedChanges(communityId, changes);
  const items = await queryAll(table, { pk, to });
  return items.flatMap(({ noted }) => v.parse(NotedChanges, JSON.parse(String(noted))));
}
