import type { InferInput } from "valibot";
import type { Member } from "#lib/domain/member.ts";
import type { MemberImport } from "#lib/domain/member-import.ts";
import type { Column } from "./csv.ts";

/** A member as it stands in a file: what the import takes, in one fixed order, with nothing that is empty. */
type MemberRecord = InferInput<typeof MemberImport>;

const text = (...path: string[]): Column => ({ name: path.join("_"), path, as: "text" });
const json = (...path: string[]): Column => ({ name: path.join("_"), path, as: "json" });

export const memberColumns: readonly Column[] = [
  json("id"),
  json("user", "id"),
  ...["email", "username", "first_name", "last_name"].map((name) => text("user", name)),
  json("tier_id"),
  text("status"),
  ...["created_at", "current_period_start", "current_period_end"].map((name) => text(name)),
  json("cancel_at_period_end"),
  ...["cancel_at", "trial_start", "trial_end", "canceled_at", "ended_at"].map((name) => text(name)),
  ...["name", "line1", "line2", "city", "state", "postal_code", "country"].map((name) => ({
    ...text("shipping_address", name),
    isKept: true as const,
  })),
  json("is_blocked"),
  text("blocked_at"),
  json("blocked_by"),
  text("block_reason"),
  json("lifetime_spend_cents"),
  json("total_refunded_cents"),
  json("refunds"),
  json("metadata"),
  text("stripe_customer_id"),
  text("stripe_subscription_id"),
];

/** The record that would import a member as they are now. Their Stripe customer is not told by the API. */
export function recordOf(member: Member): MemberRecord {
  const { metadata, user, membership_tier, shipping_address, has_shipping_address, ...own } = member;
  const { lifetime_spend_cents: _, blocked: __, blocked_at, blocked_by, block_reason, refunds, ...free } = metadata;
  return withoutEmpty({
    id: own.id,
    user: withoutEmpty(user),
    tier_id: membership_tier.id,
    status: own.status,
    created_at: own.created_at,
    current_period_start: own.current_period_start,
    current_period_end: own.current_period_end,
    cancel_at_period_end: own.cancel_at_period_end,
    cancel_at: own.cancel_at,
    trial_start: own.trial_start,
    trial_end: own.trial_end,
    canceled_at: own.canceled_at,
    ended_at: own.ended_at,
    shipping_address: has_shipping_address ? shipping_address : null,
    is_blocked: own.is_blocked,
    blocked_at,
    blocked_by,
    block_reason,
    lifetime_spend_cents: own.lifetime_spend_cents,
    total_refunded_cents: own.total_refunded_cents,
    refunds,
    metadata: free.notes === "" ? (({ notes: _notes, ...custom }) => custom)(free) : free,
  });
}

/** Without what an import fills in by itself. */
function withoutEmpty<T extends object>(record: T): T {
  const isEmpty = (value: unknown) =>
    value === null ||
    value === false ||
    value === 0 ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value))) as T;
}
