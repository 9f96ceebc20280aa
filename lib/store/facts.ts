import * as v from "valibot";
import { Charge, Invoice } from "../domain/payment.ts";
import { pick } from "../pick.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { Cents, Timestamp } from "../values/scalars.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** A stored refund: the data of Stripe, who issued it and why, and the operation that issued it. */
export const StoredRefund = v.object({ ...RefundEntry.entries, operation_id: v.nullable(v.string()) });
export type StoredRefund = v.InferOutput<typeof StoredRefund>;

/** An invoice of one of the member's subscriptions, with every attempt to pay it. */
export const Payment = v.object({
  ...Invoice.entries,
  charges: v.array(v.object({ ...Charge.entries, /** The amount collected. */ paid_cents: Cents })),
  customer_id: v.string(),
  subscription_id: v.string(),
  /** The amount paid outside Stripe, for which there is no charge. */
  paid_off_stripe_cents: Cents,
});
export type Payment = v.InferOutput<typeof Payment>;

/** A stored payment. `revision` rises with each change. */
export const StoredPayment = v.object({ ...Payment.entries, revision: v.number() });
export type StoredPayment = v.InferOutput<typeof StoredPayment>;

export const StoredDispute = v.object({
  dispute_id: v.string(),
  charge_id: v.string(),
  amount_cents: Cents,
  status: v.string(),
  /** The latest final status. An appeal reopens a lost dispute. */
  closed_as: v.optional(v.string()),
  created_at: Timestamp,
});
export type StoredDispute = v.InferOutput<typeof StoredDispute>;

/** A subscription of a member. It stays theirs even if its price, items or metadata change. */
export const StoredSubscription = v.object({
  subscription_id: v.string(),
  /**
   * `waiting` until Stripe first reports it as live, then `accepted` or `rejected`. An accepted subscription is never
   * rejected later.
   */
  standing: v.picklist(["waiting", "accepted", "rejected"]),
});
export type StoredSubscription = v.InferOutput<typeof StoredSubscription>;

/** A refund without its personal data. */
export const withoutNote = <R extends { readonly note: string | null }>(refund: R): R => ({ ...refund, note: null });

/** A payment without its personal data. */
export const withoutCard = <P extends Pick<Payment, "charges">>(payment: P): P => ({
  ...payment,
  charges: payment.charges.map((charge) => ({ ...charge, payment_method: null, failure_message: null })),
});

/** Adds a fact, or updates it if its `prior` attributes are unchanged. */
const writeOf = (key: Key, fact: Item, prior: Item | undefined): Write =>
  prior ? { update: key, set: fact, when: { is: prior } } : { put: { ...key, ...fact }, when: "absent" };

export const putRefund = (memberId: number, refund: StoredRefund, prior: StoredRefund | undefined): Write =>
  writeOf(keys.refund(memberId, refund.issued_at, refund.refund_id), refund, prior && pick(prior, ["status"]));

export const putPayment = (memberId: number, payment: Payment, prior: StoredPayment | undefined): Write => {
  const stored: StoredPayment = { ...payment, revision: (prior?.revision ?? 0) + 1 };
  return writeOf(keys.payment(memberId, payment.created_at, payment.id), stored, prior && pick(prior, ["revision"]));
};

export const putDispute = (memberId: number, dispute: StoredDispute, prior: StoredDispute | undefined): Write =>
  writeOf(keys.dispute(memberId, dispute.dispute_id), dispute, prior && pick(prior, ["status"]));

export const putSubscription = (
  memberId: number,
  subscription: StoredSubscription,
  prior: StoredSubscription | undefined,
): Write =>
  writeOf(keys.subscription(memberId, subscription.subscription_id), subscription, prior && pick(prior, ["standing"]));
