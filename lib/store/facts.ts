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

export const StoredDispute = v.object(storedEntries(disputeFields));
export type StoredDispute = v.InferOutput<typeof StoredDispute>;

/** A subscription that is the member's, and stays so whatever becomes of its price, items and metadata. */
export const StoredSubscription = v.object({
  subscription_id: v.string(),
  /**
   * `waiting` until it is first seen live; then `accepted`, or `rejected` where it must not be. Only a subscription that
   * waits is ever rejected.
   */
  standing: v.picklist(["waiting", "accepted", "rejected"]),
});
export type StoredSubscription = v.InferOutput<typeof StoredSubscription>;

/** Writes a fact over the state that it was read in, or where there is none. */
const writeOf = (key: Key, fact: Item, known: Item | undefined): Write =>
  known ? { update: key, set: fact, when: { is: known } } : { put: { ...key, ...fact }, when: "absent" };

export const putRefund = (memberId: number, refund: StoredRefund, known: StoredRefund | undefined): Write =>
  writeOf(keys.refund(memberId, refund.issued_at, refund.refund_id), refund, known && pick(known, ["status"]));

export const putPayment = (memberId: number, payment: Payment, known: StoredPayment | undefined): Write => {
  const stored: StoredPayment = { ...payment, revision: (known?.revision ?? 0) + 1 };
  return writeOf(keys.payment(memberId, payment.created_at, payment.id), stored, known && pick(known, ["revision"]));
};

export const putDispute = (memberId: number, dispute: StoredDispute, known: StoredDispute | undefined): Write =>
  writeOf(keys.dispute(memberId, dispute.dispute_id), dispute, known && pick(known, ["status"]));

export const putSubscription = (
  memberId: number,
  subscription: StoredSubscription,
  known: StoredSubscription | undefined,
): Write =>
  writeOf(keys.subscription(memberId, subscription.subscription_id), subscription, known && pick(known, ["standing"]));
