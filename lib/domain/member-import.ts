import * as v from "valibot";
import { RefundEntry } from "../fields/refund.ts";
import { issueCodes } from "../problem.ts";
import { AddressInput } from "../values/address.ts";
import { emailChecks } from "../values/email.ts";
import { MemberStatus } from "../values/member-status.ts";
import { AnyObject } from "../values/metadata.ts";
import { Cents, Id, Instant, integer, oneOf, rule, text } from "../values/scalars.ts";
import { note, shownText } from "../values/shown.ts";
import type { MemberEntries } from "./member.ts";

const moment = v.optional(v.nullable(Instant), null);
/** More than any community has earned, so that sums with later payments remain exact. */
const mostCents = 10 ** 12;
const sum = v.optional(v.pipe(Cents, v.minValue(0), v.maxValue(mostCents)), 0);
const stripeId = (prefix: string) =>
  v.optional(v.nullable(v.pipe(v.string(), v.startsWith(prefix, `must start with ${prefix}`), v.maxLength(255))), null);

export const RefundImport = v.object({
  ...RefundEntry.entries,
  refund_id: text(1, 255),
  charge_id: text(1, 255),
  amount_cents: integer(1, 99_999_999),
  note: v.nullable(note(500)),
  issued_at: Instant,
});

/** The person of a member: matched by id or email address, or created. */
const PersonImport = v.pipe(
  v.strictObject({
    id: v.optional(Id),
    email: v.optional(v.pipe(v.string(), v.trim(), ...emailChecks, text(3, 254))),
    username: v.optional(shownText(0, 128), ""),
    first_name: v.optional(shownText(0, 128), ""),
    last_name: v.optional(shownText(0, 128), ""),
  }),
  rule("required", ({ id, email }) => id !== undefined || email !== undefined, "must have an id or an email"),
);

/** Whether a record may have the fields that Odis otherwise reads from its Stripe customer. */
const isWithoutCustomer = ({ stripe_customer_id }: { readonly stripe_customer_id: string | null }) =>
  stripe_customer_id === null;
const leftOut = "must be left out with a customer, whose payments are read from Stripe";

/** A member of another system, with the field names of the member record. Omitted fields are empty. */
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
    lifetime_spend_cents: v.optional(v.pipe(Cents, v.minValue(-mostCents), v.maxValue(mostCents)), 0),
    total_refunded_cents: sum,
    refunds: v.optional(v.pipe(v.array(RefundImport), v.maxLength(100)), []),
    metadata: v.optional(AnyObject, {}),
    stripe_customer_id: stripeId("cus_"),
    stripe_subscription_id: stripeId("sub_"),
  } satisfies Omit<MemberEntries<"import">, "user"> & { readonly user: v.GenericSchema }),
  v.forward(
    rule(
      "conflicts",
      ({ current_period_start: from, current_period_end: to }) => from <= to,
      "must not be before current_period_start",
    ),
    ["current_period_end"],
  ),
  v.forward(
    rule(
      "required",
      ({ stripe_customer_id, stripe_subscription_id }) =>
        stripe_customer_id !== null || stripe_subscription_id === null,
      "is required with a subscription",
    ),
    ["stripe_customer_id"],
  ),
  v.forward(
    rule("not_allowed", (record) => isWithoutCustomer(record) || record.lifetime_spend_cents === 0, leftOut),
    ["lifetime_spend_cents"],
  ),
  v.forward(
    rule("not_allowed", (record) => isWithoutCustomer(record) || record.total_refunded_cents === 0, leftOut),
    ["total_refunded_cents"],
  ),
  v.forward(
    rule("not_allowed", (record) => isWithoutCustomer(record) || record.refunds.length === 0, leftOut),
    ["refunds"],
  ),
  v.forward(
    rule(
      "conflicts",
      ({ is_blocked, blocked_at, blocked_by, block_reason }) =>
        is_blocked || (blocked_at === null && blocked_by === null && block_reason === null),
      "must be true for a member with a block",
    ),
    ["is_blocked"],
  ),
);
export type MemberImport = v.InferOutput<typeof MemberImport>;

/** Up to 25 records. Any object is accepted here, because an invalid record must not affect the others. */
export const MembersImport = v.strictObject({
  members: v.pipe(v.array(v.union([AnyObject, MemberImport])), v.minLength(1), v.maxLength(25)),
});

/** Outcome of a record, by its index in the request. */
export const ImportedMember = v.object({
  index: v.pipe(v.number(), v.integer(), v.minValue(0)),
  id: v.nullable(Id),
  outcome: oneOf(["created", "updated", "unchanged", "refused"]),
  errors: v.optional(v.array(v.object({ pointer: v.string(), code: v.picklist(issueCodes), message: v.string() }))),
});
export type ImportedMember = v.InferOutput<typeof ImportedMember>;

export const ImportedMembers = v.object({
  total: v.pipe(v.number(), v.integer(), v.minValue(1)),
  data: v.array(ImportedMember),
});
