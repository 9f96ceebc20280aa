import * as v from "valibot";

/**
 * The state under which a lasting right was given, such as that of an enabled event destination. A change of owner raises the
 * number of the community, and a restore raises the epoch of the stage. Both end all earlier rights without writing them.
 */
export const LastingRight = v.object({
  /** Number of transfers of the community. */
  ownership: v.number(),
  /** The epoch of the stage (`lib/epoch.ts`). */
  epoch: v.number(),
});
export type LastingRight = v.InferOutput<typeof LastingRight>;

/** The right of items that earlier versions have stored without numbers. */
const firstRight: LastingRight = { ownership: 0, epoch: 0 };

/** The field of a community on which rights depend. Undefined before the first transfer. */
export type Grantor = { readonly ownership?: number | undefined };

/** A right that is given now. */
export const rightIn = ({ ownership = 0 }: Grantor, epoch: number): LastingRight => ({ ownership, epoch });

/** The reason why a right has ended. Undefined if it is valid, or was given after the community was read. */
export function endOf(
  given: LastingRight = firstRight,
  current: LastingRight,
): "owner_changed" | "restored" | undefined {
  if (given.epoch < current.epoch) return "restored";
  return given.ownership < current.ownership ? "owner_changed" : undefined;
}
