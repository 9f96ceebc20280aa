import { describeFields } from "../values/documented.ts";
import { Blocker, CanceledSubscription, ErasureAnswer, ErasureRequest } from "./erasure.ts";

describeFields(Blocker, {
  code: [
    "Type of blocker. `foreign_subscription` is a live subscription of the same Stripe customer that Odis does not manage.",
    "live_subscription",
  ],
  community_id: ["Identifier of the community.", 1],
  member_id: ["Identifier of the member. `null` for an owned community.", 6312],
});

describeFields(ErasureRequest, {
  dry_run: [
    "If `true`, nothing is erased or canceled, and the response lists what would be, and what prevents it.",
    true,
  ],
  cancel_subscriptions: [
    "If `true`, live subscriptions that Odis manages are canceled immediately, without a refund, before the person is erased. Nothing is canceled while anything else prevents the erasure.",
    true,
  ],
});

describeFields(CanceledSubscription.entries.tier.wrapped, {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
});

describeFields(CanceledSubscription, {
  community_id: ["Identifier of the community.", 1],
  member_id: ["Identifier of the member.", 6312],
  tier: "The tier of the subscription. `null` if its price belongs to no tier.",
});

describeFields(ErasureAnswer, {
  erased: "Whether the person is erased.",
  dry_run: "Whether this was a dry run.",
  blockers: "Blockers that prevent the erasure. Empty unless this was a dry run.",
  cancels: "Subscriptions that the erasure would cancel. Empty unless this was a dry run with `cancel_subscriptions`.",
  counts: [
    "Number of items that are changed or deleted, by kind. `stripe_customer` and `pool_account` are outside the database.",
    { user: 1, email: 1, member: 1, activity: 12, stripe_customer: 1, pool_account: 1 },
  ],
});
