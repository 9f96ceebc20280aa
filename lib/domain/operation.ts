import * as v from "valibot";
import { RefundEntry } from "../fields/refund.ts";
import { Cents, Id, Timestamp } from "../values/scalars.ts";

/** What an operation asks of Stripe: chosen once, stored before Stripe is asked, and only ever repeated. */
export const Intent = v.variant("kind", [
  v.object({
    kind: v.literal("refund"),
    charge_id: v.string(),
    amount_cents: Cents,
    reason: RefundEntry.entries.reason,
    note: v.nullable(v.string()),
  }),
  v.object({
    kind: v.literal("cancel"),
    /** Null for a membership without a subscription in Stripe: the operation is done when it is stored. */
    subscription_id: v.nullable(v.string()),
    mode: v.picklist(["at_period_end", "immediately"]),
    feedback: v.nullable(v.string()),
    comment: v.nullable(v.string()),
  }),
  v.object({ kind: v.literal("uncancel"), subscription_id: v.nullable(v.string()) }),
  /** A subscription that must not be: its person is blocked, or has another one that is live. */
  v.object({
    kind: v.literal("reject"),
    subscription_id: v.string(),
    /** The customer's other invoices that are being collected, which the cancellation stops. */
    collected_invoice_ids: v.optional(v.array(v.string()), []),
  }),
]);
export type Intent = v.InferOutput<typeof Intent>;

/** A price that a subscription schedule in Stripe planned for a subscription. */
export const PlannedPrice = v.object({ stripe_price_id: v.string(), starts_at: Timestamp });
export type PlannedPrice = v.InferOutput<typeof PlannedPrice>;

/**
 * One thing done with someone's money, from intent to end. Its id is `metadata.operation_id` at Stripe and part of the
 * idempotency key, so that repeating it, however often and by whomever, has one effect.
 */
export const Operation = v.object({
  id: v.string(),
  community_id: Id,
  member_id: Id,
  customer_id: v.string(),
  /** Who asked; null for what the system does by itself. */
  actor_id: v.nullable(Id),
  request_id: v.nullable(v.string()),
  intent: Intent,
  /** Of the request's body, where it carried an `Idempotency-Key`: the same key must come with the same body. */
  fingerprint: v.nullable(v.string()),
  /** `refused`: Stripe would not do it. The same request asks again for the same charge and amount. */
  state: v.picklist(["open", "done", "refused"]),
  /** Grows with each refusal, as Stripe gives the same answer to the same idempotency key; absent for the first. */
  attempt: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  /** What was planned by the schedule that the operation releases the subscription from. Noted before the release. */
  dropped_prices: v.optional(v.array(PlannedPrice)),
  created_at: Timestamp,
});
export type Operation = v.InferOutput<typeof Operation>;

/** The key that makes one attempt at an operation the same at Stripe, however often it is sent. */
export const stripeKeyOf = ({ id, intent: { kind }, attempt = 1 }: Pick<Operation, "id" | "intent" | "attempt">) =>
  `${kind}-${id}-${attempt}`;
