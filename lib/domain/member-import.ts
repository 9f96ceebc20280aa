import * as v from "valibot";
import { AddressInput, MemberStatus, RefundEntry } from "./member.ts";
import { Cents, Id, Instant, text } from "./scalars.ts";

const moment = v.optional(v.nullable(Instant), null);
const sum = v.optional(v.pipe(Cents, v.minValue(0)), 0);
const stripeId = (prefix: string) =>
  v.optional(v.nullable(v.pipe(v.string(), v.startsWith(prefix), v.maxLength(255))), null);

/** Who a member is: a known person by id or e-mail, or someone to make a profile for. */
const PersonImport = v.pipe(
  v.strictObject({
    id: v.optional(Id),
    email: v.optional(v.pipe(v.string(), v.trim(), v.email("must be an e-mail address"), text(3, 254))),
    username: v.optional(text(0, 128), ""),
    first_name: v.optional(text(0, 128), ""),
    last_name: v.optional(text(0, 128), ""),
  }),
  v.check(({ id, email }) => id !== undefined || email !== undefined, "must have an id or an email"),
);

/** A member of another system, in the words of the member record; what is left out is empty. */
export const MemberImport = v.pipe(
  v.strictObject({
    id: v.optional(Id),
    user: PersonImport,
    tier_id: Id,
    status: MemberStatus,
    created_at: Instant,
    current_period_start: Instant,
    current_period_end: Instant,
    cancel_at_period_end: v.optional(v.boolean(), false),
    cancel_at: moment,
    trial_start: moment,
    trial_end: moment,
    canceled_at: moment,
    ended_at: moment,
    shipping_address: v.optional(v.nullable(AddressInput), null),
    is_blocked: v.optional(v.boolean(), false),
    blocked_at: moment,
    blocked_by: v.optional(v.nullable(Id), null),
    block_reason: v.optional(v.nullable(text(0, 500)), null),
    lifetime_spend_cents: v.optional(Cents, 0),
    total_refunded_cents: sum,
    refunds: v.optional(v.pipe(v.array(RefundEntry), v.maxLength(100)), []),
    /** `notes` and custom keys, as PATCH takes them. */
    metadata: v.optional(v.record(v.string(), v.unknown()), {}),
    stripe_customer_id: stripeId("cus_"),
    stripe_subscription_id: stripeId("sub_"),
  }),
  v.forward(
    v.check(
      ({ current_period_start: from, current_period_end: to }) => from <= to,
      "must not be before current_period_start",
    ),
    ["current_period_end"],
  ),
  v.forward(
    v.check(
      ({ stripe_customer_id, stripe_subscription_id }) =>
        stripe_customer_id !== null || stripe_subscription_id === null,
      "is required with a subscription",
    ),
    ["stripe_customer_id"],
  ),
  v.forward(
    v.check(
      ({ is_blocked, blocked_at, blocked_by, block_reason }) =>
        is_blocked || (blocked_at === null && blocked_by === null && block_reason === null),
      "must be true for a member with a block",
    ),
    ["is_blocked"],
  ),
);
export type MemberImport = v.InferOutput<typeof MemberImport>;

/** Up to 25 records. One that is not as it should be does not stand in the way of the others, so any object is taken. */
export const MembersImport = v.strictObject({
  members: v.pipe(
    v.array(v.union([MemberImport, v.record(v.string(), v.unknown())])),
    v.minLength(1, "must have at least 1 record"),
    v.maxLength(25),
  ),
});

/** What became of a record, by its place in the request. */
export const ImportedMember = v.object({
  index: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** The member's; null where the record was refused. */
  id: v.nullable(Id),
  /** `updated`: it differed from an earlier import, and nobody had touched the member since. */
  outcome: v.picklist(["created", "updated", "unchanged", "refused"]),
  /** Why it was refused: `pointer` leads into the request. */
  errors: v.optional(v.array(v.object({ pointer: v.string(), code: v.string(), message: v.string() }))),
});
export type ImportedMember = v.InferOutput<typeof ImportedMember>;

export const ImportedMembers = v.object({
  total: v.pipe(v.number(), v.integer(), v.minValue(1)),
  data: v.array(ImportedMember),
});
