import { beforeAll, expect, it } from "vitest";
import { handler as transactions } from "../../../functions/communities/transactions.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { forMember } from "../../support/money/handlers.ts";
import { aMarkedPerson } from "../../support/money/marked.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

/** A member whose person is marked as erased, and whose data is not swept yet. */
let member: { readonly community_id: number; readonly id: number };
beforeAll(async () => {
  const { user, members } = await aMarkedPerson(money, [await money.aPricedCommunity()]);
  const outside = { ...money.outside, record: () => Promise.reject(new Error("The bucket does not respond")) };
  await money.call(erasing(outside), { params: { id: user.id }, body: { dry_run: false } });
  member = members[0] ?? { community_id: 0, id: 0 };
});

it("the transactions of a community have no receipt of a person who is marked as erased", async () => {
  const { body } = await money.call(transactions, { params: { community_id: member.community_id } });
  const { data } = body as unknown as { data: { member: object; receipt_url: string | null }[] };
  expect(data.length).toBeGreaterThan(0);
  for (const one of data) expect(one).toMatchObject({ member: { id: member.id, name: null }, receipt_url: null });
});

it("the payment history has no card and no link of a person who is marked as erased", async () => {
  const { body } = await money.call(paymentHistory, forMember(member));
  const { data } = body as unknown as { data: { charges: object[] }[] };
  expect(data.length).toBeGreaterThan(0);
  for (const payment of data) {
    expect(payment).toMatchObject({ hosted_invoice_url: null, invoice_pdf: null });
    for (const charge of payment.charges) expect(charge).toMatchObject({ payment_method: null, receipt_url: null });
  }
});

it("the details of a subscription have no card of a person who is marked as erased", async () => {
  const { status, body } = await money.call(subscriptionDetails, forMember(member));
  expect(status).toBe(200);
  expect(body).toMatchObject({ default_payment_method: null, cancellation_comment: null });
});
