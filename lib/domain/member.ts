import * as v from "valibot";
import { isCountry } from "./country.ts";
import { Cursor, Per, Total } from "./page.ts";
import { Cents, Id, IdParameter, Timestamp, text } from "./scalars.ts";

/** A member's status is Stripe's, in six words; being blocked is a fact apart from it. */
export const MemberStatus = v.picklist(["active", "trialing", "past_due", "unpaid", "canceled", "incomplete"]);
export type MemberStatus = v.InferOutput<typeof MemberStatus>;

/** Seven strings, all empty where no address is stored. */
export const ShippingAddress = v.object({
  name: v.string(),
  line1: v.string(),
  line2: v.string(),
  city: v.string(),
  state: v.string(),
  postal_code: v.string(),
  country: v.string(),
});
export type ShippingAddress = v.InferOutput<typeof ShippingAddress>;

export const noAddress: ShippingAddress = {
  name: "",
  line1: "",
  line2: "",
  city: "",
  state: "",
  postal_code: "",
  country: "",
};

export const RefundEntry = v.object({
  refund_id: v.string(),
  charge_id: v.string(),
  amount_cents: Cents,
  reason: v.picklist(["requested_by_customer", "duplicate", "fraudulent", "unspecified"]),
  status: v.picklist(["pending", "succeeded", "failed", "canceled", "requires_action"]),
  note: v.nullable(v.string()),
  issued_at: Timestamp,
  issued_by: v.nullable(Id),
});
export type RefundEntry = v.InferOutput<typeof RefundEntry>;

/** The person behind a member, as of their profile. */
export const Person = v.object({
  id: Id,
  username: v.string(),
  email: v.string(),
  first_name: v.string(),
  last_name: v.string(),
});
export type Person = v.InferOutput<typeof Person>;

/** The keys of `metadata` that the interface names; custom keys stand beside them. */
const MemberMetadata = v.looseObject({
  lifetime_spend_cents: Cents,
  blocked: v.boolean(),
  blocked_at: v.nullable(Timestamp),
  blocked_by: v.nullable(Id),
  block_reason: v.nullable(v.string()),
  refunds: v.array(RefundEntry),
  notes: v.string(),
});

/** The member record, as the interface shows it. */
export const Member = v.object({
  id: Id,
  status: MemberStatus,
  current_period_start: Timestamp,
  current_period_end: Timestamp,
  cancel_at_period_end: v.boolean(),
  cancel_at: v.nullable(Timestamp),
  trial_start: v.nullable(Timestamp),
  trial_end: v.nullable(Timestamp),
  canceled_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
  shipping_address: ShippingAddress,
  metadata: MemberMetadata,
  is_blocked: v.boolean(),
  block_reason: v.nullable(v.string()),
  /** In dollars. */
  total_refunded: v.number(),
  total_refunded_cents: Cents,
  lifetime_spend_cents: Cents,
  requires_shipping_address: v.boolean(),
  has_shipping_address: v.boolean(),
  user: Person,
  membership_tier: v.object({ id: Id, name: v.string(), monthly_price_dollars: v.number() }),
  community: v.object({ id: Id, name: v.string() }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Member = v.InferOutput<typeof Member>;

/** A member in a table: metadata is too deep for columns. */
export const MemberRow = v.omit(Member, ["metadata"]);

/** Filters, order and position of a member list (`api.md`, section 3). An empty `query` counts as absent. */
export const MemberListQuery = v.pipe(
  v.object({
    status: v.optional(MemberStatus),
    tier_id: v.optional(IdParameter),
    is_blocked: v.optional(
      v.pipe(
        v.picklist(["true", "false"]),
        v.transform((flag) => flag === "true"),
      ),
    ),
    query: v.optional(
      v.pipe(
        text(1, 64),
        v.transform((typed) => (typed.trim() === "" ? undefined : typed)),
      ),
    ),
    sort: v.optional(v.picklist(["-created_at", "created_at"])),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(
    v.check(({ query, sort }) => query === undefined || sort === undefined, "cannot be given with query"),
    ["sort"],
  ),
);
export type MemberListQuery = v.InferOutput<typeof MemberListQuery>;

export const MemberPage = v.object({
  total: v.nullable(Total),
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Member),
});

const required = text(1, 200);
const optional = text(0, 200);

/** A whole address, as a person types it; `line2`, `state` and `postal_code` may be empty. */
export const AddressInput = v.strictObject({
  name: required,
  line1: required,
  line2: optional,
  city: required,
  state: optional,
  postal_code: optional,
  country: v.pipe(v.string(), v.check(isCountry, "must be an ISO 3166-1 alpha-2 code")),
});

export const MemberUpdate = v.strictObject({
  member: v.strictObject({
    shipping_address: v.optional(v.nullable(AddressInput)),
    metadata: v.optional(v.record(v.string(), v.unknown())),
  }),
});

export const BlockRequest = v.strictObject({ reason: v.optional(text(0, 500)) });
