import * as v from "valibot";
import { disputeFields } from "../fields/dispute.ts";
import { type SetBy, storedEntries } from "../fields/field.ts";
import { paymentFields } from "../fields/payment.ts";
import { refundFields } from "../fields/refund.ts";
import { pick } from "../pick.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Write } from "./table.ts";

export const StoredRefund = v.object(storedEntries(refundFields));
export type StoredRefund = v.InferOutput<typeof StoredRefund>;

export const StoredPayment = v.object(storedEntries(paymentFields));
export type StoredPayment = v.InferOutput<typeof StoredPayment>;

/** A payment as Stripe has it: with links, and without the number of its changes here. */
export type Payment = Pick<StoredPayment, SetBy<typeof paymentFields, "sync">>;

/** Collected amount of an invoice in US cents. */
export const collectedOf = ({ charges, paid_off_stripe_cents }: Payment): number =>
  charges.reduce((sum, { paid_cents }) => sum + paid_cents, paid_off_stripe_cents);

export const StoredDispute = v.object(storedEntries(disputeFields));
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
