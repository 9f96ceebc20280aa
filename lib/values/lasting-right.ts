import * as v from "valibot";

/**
 * The state under which a lasting right was given, such as that of an enabled event destination. A change of owner
 * increments the number of the community, and a restore increments the epoch of the stage. Both end all earlier rights
 * without writing their items.
 */
export const LastingRight = v.object({
  /** Number of transfers of the community. */
  ownership: v.number(),
  /** The epoch of the stage (`lib/epoch.ts`). */
  epoch: v.number(),
});
export type LastingRight = v.InferOutput<typeof LastingRight>;

/** The right of an item that an earlier version stored without one. */
const firstRight: LastingRight = { ownership: 0, epoch: 0 };

/** The field of a community on which rights depend. Undefined before the first transfer. */
export const Grantor = v.object({ ownership: v.optional(v.number()) });
export type Grantor = Readonly<v.InferOutput<typeof Grantor>>;

/** Returns a right that is valid now. */
export const rightIn = ({ ownership = 0 }: Grantor, epoch: number): LastingRight => ({ ownership, epoch });

/**
 * The reason why a right has ended. Undefined for a valid right, and for one that was given after the community was
 * read.
 */
export function endOf(
  given: LastingRight = firstRight,
  current: LastingRight,
): "owner_changed" | "restored" | undefined {
  if (given.epoch < current.epoch) return "restored";
  return given.ownership < current.ownership ? "owner_changed" : undefined;
}
