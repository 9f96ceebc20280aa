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
 * While a community is counted again, the projections note each change that they count, in the same transaction. So a
 * count that took minutes can be brought up to any later moment: a change belongs to it unless the member, or the movement,
 * was counted with that change, which the revision tells.
 */
const NotedChanges = v.array(
  v.object({
    /** The end of the key of what was counted. */
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

/** How long notes are kept, and made, in seconds: much longer than any count takes. */
const keptSeconds = 6 * 60 * 60;

const expiryOf = (now: Date): number => Math.floor(now.getTime() / 1000) + keptSeconds;

/**
 * Has changes noted from the next batch of the projections on, until this rebuild or a later one has it stopped.
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
    // A later rebuild has changes noted.
    if (!(error instanceof Conflict)) throw error;
  });

/** The other writes happen only while changes are noted for this rebuild. @throws Overtaken */
export const isStillNoted = (communityId: number, rebuild_id: string): Write => ({
  check: keys.recount(communityId),
  when: { is: { rebuild_id } },
  otherwise: new Overtaken(),
});

/** Another rebuild of the community has begun since, and may have had the notes stopped. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";

  constructor() {
    super("Another rebuild of the community has begun since");
  }
}

/**
 * Whether the last rebuild has counted a change that is redriven. Such a change is in the figures, although its record
 * was never counted.
 *
 * @throws Error if the change was made while the rebuild counted: then nobody knows. The next rebuild counts it.
 */
export function isRecounted(recounted: StoredStats["recounted"], { at }: Effect): boolean {
  if (!recounted) return false;
  const changedAt = Date.parse(at);
  if (changedAt < Date.parse(recounted.from) - clockMargin) return true;
  if (changedAt > Date.parse(recounted.to) + clockMargin) return false;
  throw new Error("The change was made during a rebuild. Run the rebuild again before the redrive");
}

/** Notes the changes that are counted with others, by how many have been counted then. */
export function noteChanges(communityId: number, changes: number, effects: readonly Effect[], now: Date): Write[] {
  const noted = effects.filter(({ kind }) => kind === "counted");
  if (noted.length === 0) return [];
  // As text, which times have of themselves.
  const text = JSON.stringify(noted);
  return [{ put: { ...keys.recountedChanges(communityId, changes), noted: text, expires_at: expiryOf(now) } }];
}

/** What has been noted, up to when so many changes had been counted. */
export async function notedChanges(table: Reader, communityId: number, changes: number): Promise<NotedChanges> {
  const { pk, sk: to } = keys.recountedChanges(communityId, changes);
  const items = await queryAll(table, { pk, to });
  return items.flatMap(({ noted }) => v.parse(NotedChanges, JSON.parse(String(noted))));
}
