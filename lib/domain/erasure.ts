import * as v from "valibot";
import { Id, oneOf } from "../values/scalars.ts";

/** Reasons that prevent an erasure (`docs/api.md`, section 11). */
export const blockerCodes = [
  "live_subscription",
  "foreign_subscription",
  "open_operation",
  "pending_payment",
  "open_dispute",
  "owns_community",
] as const;

export const Blocker = v.object({ code: oneOf(blockerCodes), community_id: Id, member_id: v.nullable(Id) });
export type Blocker = v.InferOutput<typeof Blocker>;

export const ErasureRequest = v.strictObject({
  dry_run: v.boolean(),
  cancel_subscriptions: v.optional(v.boolean(), false),
});

const CanceledTier = v.object({ id: Id, name: v.string() });

/** A live subscription that an erasure cancels. */
export const CanceledSubscription = v.object({ community_id: Id, member_id: Id, tier: v.nullable(CanceledTier) });
export type CanceledSubscription = v.InferOutput<typeof CanceledSubscription>;

/** How many items of each kind an erasure changes or deletes. */
const Counts = v.record(v.string(), v.pipe(v.number(), v.integer(), v.minValue(0)));
export type Counts = v.InferOutput<typeof Counts>;

export const ErasureAnswer = v.object({
  erased: v.boolean(),
  dry_run: v.boolean(),
  blockers: v.array(Blocker),
  cancels: v.array(CanceledSubscription),
  counts: Counts,
});
export type ErasureAnswer = v.InferOutput<typeof ErasureAnswer>;
