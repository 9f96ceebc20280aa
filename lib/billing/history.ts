import type { InferOutput } from "valibot";
import type { PaymentHistoryQuery } from "../domain/payment.ts";
import { erasedRecord } from "../fields/field.ts";
import { paymentFields } from "../fields/payment.ts";
import { decodeCursor, encodeCursor, type Scope } from "../store/cursor.ts";
import type { StoredMember } from "../store/members/item.ts";
import { ledgerOf } from "../store/operations.ts";
import type { Reader } from "../store/table.ts";
import { findListed, memberPayments, positionOf, withoutLinks } from "./payments.ts";
import type { Billing } from "./stripe.ts";

type ReadContext = { readonly table: Reader; readonly billing: Billing };

type HistoryRequest = {
  /** Undefined for a person who is not a member. Their history is empty. */
  readonly member: StoredMember | undefined;
  /** The tiers of the member's community. */
  readonly tiers: readonly { readonly id: number }[];
  /** The list that the cursor belongs to. */
  readonly scope: Scope;
  readonly query: InferOutput<typeof PaymentHistoryQuery>;
};

/**
 * Returns a page of a member's payments, newest first, with Stripe's links.
 *
 * @throws Problem `invalid_cursor`
 */
export async function paymentHistoryPage(
  context: ReadContext,
  { member, tiers, scope, query: { per, cursor } }: HistoryRequest,
) {
  const after = decodeCursor(scope, cursor);
  const payments = member ? await readPayments(context, member, tiers) : [];
  const remaining = after === undefined ? payments : payments.filter((payment) => positionOf(payment) < after);
  const page = remaining.slice(0, per);
  const isErased = member?.erased_at !== undefined;
  const data = isErased ? page.map((payment) => withoutLinks(erasedRecord(paymentFields, payment))) : page;
  const last = page.at(-1);
  const has_more = remaining.length > per;
  return { has_more, next_cursor: has_more && last ? encodeCursor(scope, positionOf(last)) : null, data };
}

async function readPayments({ table, billing }: ReadContext, member: StoredMember, tiers: HistoryRequest["tiers"]) {
  const [snapshot, ledger] = await Promise.all([
    findListed(billing, member.stripe_customer_id),
    ledgerOf(table, member.id),
  ]);
  return memberPayments(member, { snapshot, ledger, tiers });
}
