import * as v from "valibot";

/**
 * What a right was given under that lasts beyond the request, such as an enabled event destination. A change of owner
 * raises the number of the community, and a restore that of the stage, which ends all rights that were given before in one
 * write, or in none.
 */
export const LastingRight = v.object({
  /** How many times the community had been transferred. */
  ownership: v.number(),
  /** The epoch of the stage (`lib/epoch.ts`). */
  epoch: v.number(),
});
export type LastingRight = v.InferOutput<typeof LastingRight>;

/** The right of items that were stored before rights had numbers. */
const firstRight: LastingRight = { ownership: 0, epoch: 0 };

/** A community, as far as rights in it depend on it. It has no number before it is transferred. */
export type Grantor = { readonly ownership?: number | undefined };

/** The right that is given in a community now. */
export const rightIn = ({ ownership = 0 }: Grantor, epoch: number): LastingRight => ({ ownership, epoch });

/** Why a right has ended; undefined while it counts. One that was given after the community was read counts. */
export function endOf(
  given: LastingRight = firstRight,
  current: LastingRight,
): "owner_changed" | "restored" | undefined {
  if (given.epoch < current.epoch) return "restored";
  return given.ownership < current.ownership ? "owner_changed" : undefined;
}
