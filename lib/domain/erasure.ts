import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { Id, oneOf } from "../values/scalars.ts";

/** A blocker of an erasure (`docs/api.md`, section 11). */
export const blockerCodes = [
  "live_subscription",
  "foreign_subscription",
  "open_operation",
  "pending_payment",
  "open_dispute",
  "owns_community",
] as const;

export const Blocker = documented(
  v.object({ code: oneOf(blockerCodes), community_id: Id, member_id: v.nullable(Id) }),
  {
    code: [
      "Type of blocker. `foreign_subscription` is a live subscription of the same Stripe customer that Odis does not manage.",
      "live_subscription",
    ],
    community_id: ["Identifier of the community.", 1],
    member_id: ["Identifier of the member. `null` for an owned community.", 6312],
  },
);
export type Blocker = v.InferOutput<typeof Blocker>;

export const ErasureRequest = documented(
  v.strictObject({ dry_run: v.boolean(), cancel_subscriptions: v.optional(v.boolean(), false) }),
  {
    dry_run: [
      "If `true`, nothing is erased or canceled, and the response lists what would be, and what prevents it.",
      true,
    ],
    cancel_subscriptions: [
      "If `true`, live subscriptions that Odis manages are canceled immediately, without a refund, before the person is erased. Nothing is canceled while anything else prevents the erasure.",
      true,
    ],
  },
);

const CanceledTier = documented(v.object({ id: Id, name: v.string() }), {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
});

/** A live subscription that an erasure cancels. */
export const CanceledSubscription = documented(
  v.object({ community_id: Id, member_id: Id, tier: v.nullable(CanceledTier) }),
  {
    community_id: ["Identifier of the community.", 1],
    member_id: ["Identifier of the member.", 6312],
    tier: "The tier of the subscription. `null` if its price belongs to no tier.",
  },
);
export type CanceledSubscription = v.InferOutput<typeof CanceledSubscription>;

/** How many items of each kind an erasure changes or deletes. */
const Counts = v.record(v.string(), v.pipe(v.number(), v.integer(), v.minValue(0)));
export type Counts = v.InferOutput<typeof Counts>;

export const ErasureAnswer = documented(
  v.object({
    erased: v.boolean(),
    dry_run: v.boolean(),
    blockers: v.array(Blocker),
    cancels: v.array(CanceledSubscription),
    counts: Counts,
  }),
  {
    erased: "Whether the person is erased.",
    dry_run: "Whether this was a dry run.",
    blockers: "Blockers that prevent the erasure. Empty unless this was a dry run.",
    cancels:
      "Subscriptions that the erasure would cancel. Empty unless this was a dry run with `cancel_subscriptions`.",
    counts: [
      "Number of items that are changed or deleted, by kind. `stripe_customer` and `pool_account` are outside the database.",
      { user: 1, email: 1, member: 1, activity: 12, stripe_customer: 1, pool_account: 1 },
    ],
  },
);
export type ErasureAnswer = v.InferOutput<typeof ErasureAnswer>;
