import { expect } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import type { Reader } from "#lib/store/table.ts";
import type { LocalMoney } from "../money.ts";

type Money = Pick<LocalMoney, "chargesOf" | "memberNow">;

/** Fails where an operation of a member is still to be finished, by their ledger or by the list that the schedule reads. */
export async function expectNothingOpen(table: Reader, { id }: { readonly id: number }): Promise<void> {
  const { operations } = await ledgerOf(table, id);
  expect(operations.filter(({ state }) => state === "open")).toEqual([]);
  const { items } = await table.query({ pk: "OPERATIONS" });
  expect(items.filter(({ member_id }) => member_id === id)).toEqual([]);
}

/** What Stripe says was paid by a member and given back. */
export async function atStripe(money: Money, { stripe_customer_id }: StoredMember) {
  const charges = await money.chargesOf(stripe_customer_id);
  const refunds = charges.flatMap((charge) => charge.refunds?.data ?? []);
  const counted = refunds.filter(({ status }) => status !== "failed" && status !== "canceled");
  const paid = charges.reduce((sum, charge) => sum + charge.amount_captured, 0);
  return { refunds, paid, refunded: counted.reduce((sum, { amount }) => sum + amount, 0), charges };
}

/** Asserts that a member's sums and refunds match Stripe. */
export async function expectExact(money: Money, member: StoredMember): Promise<void> {
  const now = await money.memberNow(member);
  const { paid, refunded, refunds } = await atStripe(money, member);
  expect({ spent: now.lifetime_spend_cents, refunded: now.total_refunded_cents }).toEqual({
    spent: paid - refunded,
    refunded,
  });
  expect(now.refunds.map(({ refund_id }) => refund_id).toSorted()).toEqual(refunds.map(({ id }) => id).toSorted());
}
