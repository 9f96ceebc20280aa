import * as v from "valibot";
import { Figures } from "../domain/figures.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** A community's figures as they are stored. Nothing writes them but the projections and their rebuild. */
const StoredStats = v.object({
  ...Figures.entries,
  /** Number of changes counted. The figures change only if it does. */
  changes: v.number(),
  /** The last barrier that has come through the stream. */
  barrier: v.nullable(v.string()),
  /** When the last rebuild that wrote these figures counted the members. Undefined before the first one. */
  recounted: v.optional(v.object({ from: v.string(), to: v.string() })),
  /** Rises with every write. */
  version: v.number(),
});
export type StoredStats = v.InferOutput<typeof StoredStats>;

export const statsFrom = (item: Item): StoredStats => v.parse(StoredStats, item);

/** The other writes happen only if no figures were put since those of this version, or since there were none. */
export const statsAreStill = (communityId: number, version: number | undefined): Write => ({
  check: keys.stats(communityId),
  when: version === undefined ? "absent" : { is: { version } },
});

/** Puts figures over those that were read; a `Conflict` where others have been put since. */
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
