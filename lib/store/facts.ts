import * as v from "valibot";
import { type SetBy, storedEntries } from "../fields/field.ts";
import { paymentFields } from "../fields/payment.ts";
import { pick } from "../pick.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { Cents, Timestamp } from "../values/scalars.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** A refund as it is stored: what Stripe says, who issued it and why, and the operation it came from. */
export const StoredRefund = v.object({ ...RefundEntry.entries, operation_id: v.nullable(v.string()) });
export type StoredRefund = v.InferOutput<typeof StoredRefund>;

export const StoredPayment = v.object(storedEntries(paymentFields));
export type StoredPayment = v.InferOutput<typeof StoredPayment>;

/** A payment as Stripe has it: with links, and without the number of its changes here. */
export type Payment = Pick<StoredPayment, SetBy<typeof paymentFields, "sync">>;

export const StoredDispute = v.object({
  dispute_id: v.string(),
  charge_id: v.string(),
  amount_cents: Cents,
  status: v.string(),
  /** The final status that the dispute had last. An appeal opens a lost dispute again. */
  closed_as: v.optional(v.string()),
  created_at: Timestamp,
});
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

/** A refund without what an erasure removes. */
export const withoutNote = <R extends { readonly note: string | null }>(refund: R): R => ({ ...refund, note: null });

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
