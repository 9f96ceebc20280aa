import * as v from "valibot";
import { Figures } from "../domain/figures.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** A community's stored figures. Only the projections and their rebuild write them. */
const StoredStats = v.object({
  ...Figures.entries,
  /** Number of counted changes. Incremented whenever the figures change. */
  changes: v.number(),
  /** The last barrier received from the stream. */
  barrier: v.nullable(v.string()),
  /** When the last rebuild that wrote these figures counted the members. Undefined before the first one. */
  recounted: v.optional(v.object({ from: v.string(), to: v.string() })),
  /** Incremented by every write. */
  version: v.number(),
});
export type StoredStats = v.InferOutput<typeof StoredStats>;

export const statsFrom = (item: Item): StoredStats => v.parse(StoredStats, item);

/**
 * A condition that makes its transaction fail unless the figures have this version. `undefined`: unless there are no
 * figures.
 */
export const statsAreStill = (communityId: number, version: number | undefined): Write => ({
  check: keys.stats(communityId),
  when: version === undefined ? "absent" : { is: { version } },
});

/** Writes figures. Throws a `Conflict` if they have changed since `before` was read. */
export const putStats = (
  communityId: number,
  before: StoredStats | undefined,
  after: Omit<StoredStats, "version">,
): Write => {
  const key = keys.stats(communityId);
  if (!before) return { put: { ...key, ...after, version: 1 }, when: "absent" };
  const { version } = before;
  return { update: key, set: { ...after, version: version + 1 }, when: { is: { version } } };
};
