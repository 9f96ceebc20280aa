import { expect, it, vi } from "vitest";
import type { TransactionQuery } from "#lib/domain/transaction.ts";
import type { Payment, StoredDispute, StoredRefund } from "#lib/store/facts.ts";
import { keys } from "#lib/store/keys.ts";
import { list, missingTransactions, transactionWrites } from "#lib/store/transactions.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { everyPage } from "../../support/every-page.ts";
import { aCommunity, aMember } from "../../support/given.ts";
import { setUp } from "../../support/set-up.ts";

vi.stubEnv("CURSOR_KEY", "a key");
const test = startTable();

const day = 86_400_000;
const start = Date.parse("2026-09-20T00:00:00.000Z");
const at = (n: number) => new Date(start + n * 0.4 * day).toISOString();

const paymentOf = (n: number, paid_at = at(n)): Payment => ({
  id: `in_${n}`,
  customer_id: "cus_1",
  subscription_id: "sub_1",
  number: null,
  status: "paid",
  currency: "usd",
  total_cents: 900,
  amount_paid_cents: 900,
  amount_due_cents: 900,
  paid_off_stripe_cents: 900,
  period_start: at(n),
  period_end: at(n + 75),
  created_at: at(n),
  paid_at,
  hosted_invoice_url: null,
  invoice_pdf: null,
  charges: [],
});
const refundOf = (n: number): StoredRefund => ({
  refund_id: `re_${n}`,
  charge_id: `ch_${n}`,
  amount_cents: 100,
  reason: "unspecified",
  status: n % 3 === 0 ? "failed" : "succeeded",
  note: null,
  issued_at: at(n),
  issued_by: null,
  operation_id: null,
});
const disputeOf = (n: number): StoredDispute => ({
  dispute_id: `du_${n}`,
  charge_id: `ch_${n}`,
  amount_cents: 900,
  status: n % 2 === 0 ? "lost" : "needs_response",
  created_at: at(n),
});
/** A payment by card, with Stripe's link to its receipt. */
const withReceipt = (payment: Payment, receipt_url: string | null): Payment => ({
  ...payment,
  paid_off_stripe_cents: 0,
  charges: [
    {
      id: payment.id.replace("in_", "ch_"),
      status: "succeeded",
      amount_cents: 900,
      amount_refunded_cents: 0,
      refundable_cents: 900,
      paid_cents: 900,
      disputed: false,
      failure_message: null,
      payment_method: null,
      receipt_url,
      created_at: payment.created_at,
    },
  ],
});

const numbers = Array.from({ length: 60 }, (_, n) => n);
const facts = {
  payments: numbers.map((n) => paymentOf(n)),
  refunds: numbers.filter((n) => n % 4 === 0).map(refundOf),
  disputes: numbers.filter((n) => n % 9 === 0).map(disputeOf),
};
const none = { payments: [], refunds: [], disputes: [] };

const filled = setUp(async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const writes = transactionWrites(member, none, facts);
  for (const one of writes) await write(test.table, [one]);
  return { id: community.id, member };
});

/** All transactions that match, page by page. */
const matching = (query: Omit<TransactionQuery, "per" | "cursor">, per: number) =>
  everyPage((cursor) => list(test.table, filled.id, { ...query, per, cursor }));

it("all transactions are listed newest first, and each filter selects those that match, whatever the size of a page", async () => {
  const all = await matching({}, 100);
  expect(all).toHaveLength(60 + 15 + 7);
  expect(all.map((one) => one.at)).toEqual(
    all
      .map((one) => one.at)
      .toSorted()
      .toReversed(),
  );
  const days = { from: "2026-09-25", to: "2026-10-03" };
  const queries: Omit<TransactionQuery, "per" | "cursor">[] = [
    {},
    { type: "payment" },
    { type: "refund", status: "failed" },
    { type: "payment", status: "lost" },
    { status: "succeeded" },
    { status: "needs_response", ...days },
    days,
    { from: "2026-10-05" },
    { to: "2026-09-21", type: "refund" },
  ];
  for (const query of queries)
    for (const per of [1, 7, 100])
      expect(await matching(query, per)).toEqual(
        all.filter(
          (one) =>
            (query.type ?? one.type) === one.type &&
            (query.status ?? one.status) === one.status &&
            one.day >= (query.from ?? "") &&
            one.day <= (query.to ?? "9"),
        ),
      );
});

it("a page without a filter by status is full while there are more transactions", async () => {
  const page = await list(test.table, filled.id, { per: 9, from: "2026-09-22" });
  expect(page).toMatchObject({ has_more: true });
  expect(page.data).toHaveLength(9);
});

it("a cursor of other filters is refused", async () => {
  const { next_cursor } = await list(test.table, filled.id, { per: 9 });
  const other = list(test.table, filled.id, { per: 9, type: "payment", cursor: next_cursor ?? "" });
  await expect(other).rejects.toMatchObject({ code: "invalid_cursor" });
});

it("the name of a member is the current one, and null once the person is erased", async () => {
  const community = await aCommunity(test.table);
  const [member, erased] = [await aMember(test.table, community), await aMember(test.table, community)];
  await write(test.table, [
    ...transactionWrites(member, none, { ...none, payments: [paymentOf(1)] }),
    ...transactionWrites(erased, none, { ...none, payments: [paymentOf(2)] }),
    { update: keys.member(community.id, erased.id), set: { erased_at: at(3) }, when: "exists" },
  ]);
  const { data } = await list(test.table, community.id, { per: 9 });
  const name = `${member.user.first_name} ${member.user.last_name}`;
  expect(data.map((row) => row.member)).toEqual([
    { id: erased.id, name: null },
    { id: member.id, name },
  ]);
});

it("a payment whose day changes moves, and nothing is written for facts that stay as they are", () => {
  const member = { id: 2, community_id: 1 };
  const moved = { ...facts, payments: [paymentOf(0, at(5)), ...facts.payments.slice(1)] };
  expect(transactionWrites(member, facts, facts)).toEqual([]);
  expect(transactionWrites(member, facts, moved)).toMatchObject([
    { put: { id: "in_0", at: at(5) } },
    { delete: keys.transaction(1, "payment", `${at(0)}#in_0`) },
  ]);
});

it("a transaction has the link to the receipt of its charge for 30 days, because Stripe's links expire then", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString();
  const paid = (n: number, days: number) => withReceipt({ ...paymentOf(n, daysAgo(days)) }, `https://receipt/${n}`);
  const [recent, earlier] = [paid(1, 29), paid(2, 31)];
  const refunds = [{ ...refundOf(2), issued_at: daysAgo(1) }];
  for (const one of transactionWrites(member, none, { ...none, payments: [recent, earlier], refunds }))
    await write(test.table, [one]);
  const { data } = await list(test.table, community.id, { per: 9 });
  expect(data.map(({ id, receipt_url }) => [id, receipt_url])).toEqual([
    ["re_2", "https://receipt/2"],
    ["in_1", "https://receipt/1"],
    ["in_2", null],
  ]);
});

it("the link to a receipt, which names the person, is null once they are erased", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const paid = withReceipt(paymentOf(1, new Date(Date.now() - day).toISOString()), "https://receipt/1");
  await write(test.table, transactionWrites(member, none, { ...none, payments: [paid] }));
  const linkNow = async () => (await list(test.table, community.id, { per: 9 })).data.map((row) => row.receipt_url);
  expect(await linkNow()).toEqual(["https://receipt/1"]);
  const key = keys.member(community.id, member.id);
  await write(test.table, [{ update: key, set: { erased_at: at(3) }, when: "exists" }]);
  expect(await linkNow()).toEqual([null]);
});

it.each([
  ["ch_1", "https://dashboard.stripe.com/payments/ch_1"],
  ["py_1", "https://dashboard.stripe.com/payments/py_1"],
  ["legacy-1", "https://dashboard.stripe.com"],
])("a refund of the charge %s links to the page %s", async (charge_id, stripe_url) => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const refunds = [{ ...refundOf(1), charge_id }];
  await write(test.table, transactionWrites(member, none, { ...none, refunds }));
  expect((await list(test.table, community.id, { per: 9 })).data).toMatchObject([{ charge_id, stripe_url }]);
});

it("another link to the same receipt changes nothing, neither for a synchronization nor for the migration", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const withLink = (url: string | null) => ({ ...none, payments: [withReceipt(paymentOf(1), url)] });
  const writes = transactionWrites(member, none, withLink("https://receipt/a"));
  expect(writes).toMatchObject([{ put: { receipt_url: "https://receipt/a" } }]);
  await write(test.table, writes);
  expect(transactionWrites(member, withLink(null), withLink("https://receipt/b"))).toEqual([]);
  expect(await missingTransactions(test.table, member, withLink(null))).toEqual([]);
});

it("an invoice of which nothing was collected is no payment", () => {
  const unpaid = { ...paymentOf(1), paid_at: null, status: "open", paid_off_stripe_cents: 0 };
  expect(transactionWrites({ id: 2, community_id: 1 }, none, { ...none, payments: [unpaid] })).toEqual([]);
});
