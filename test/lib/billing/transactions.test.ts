import { create } from "stripe-stand-in/core/refunds";
import { expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { list } from "#lib/store/transactions.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();
const all = { per: 100 };

it("a payment, its refunds and its dispute are listed with their status, reason, invoice, period and time to answer", async () => {
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  const charge_id = charge?.id ?? "";
  money.standIn.act((account) => void create(account, { charge: charge_id, amount: 100 }));
  await money.control("disputes", { charge: charge_id, status: "needs_response" });
  await money.deliverAll();

  const { data, has_more } = await list(money.table, community.id, all);
  const [payment, refund, dispute] = ["payment", "refund", "dispute"].map((type) =>
    data.find((transaction) => transaction.type === type),
  );
  const receipt_url = charge?.receipt_url;
  expect(receipt_url).toMatch(/^https:/);
  const common = { charge_id, invoice_id: payment?.id, member: { id: member.id }, receipt_url };
  const period = { period_start: payment?.period_start, period_end: payment?.period_end };
  expect(has_more).toBe(false);
  expect(data).toHaveLength(3);
  expect(payment).toMatchObject({ ...common, status: "succeeded", amount_cents: 2500, reason: null, refund_id: null });
  expect(payment?.invoice_url).toBe(`https://dashboard.stripe.com/invoices/${payment?.id}`);
  expect(refund).toMatchObject({ ...common, ...period, status: "succeeded", amount_cents: 100, reason: "unspecified" });
  expect(refund).toMatchObject({
    refund_id: refund?.id,
    stripe_url: expect.stringContaining(`/payments/${charge_id}`),
  });
  expect(dispute).toMatchObject({ ...common, ...period, status: "needs_response", reason: "fraudulent" });
  expect(dispute).toMatchObject({ dispute_id: dispute?.id, day: dispute?.at.slice(0, 10) });
  const days = (Date.parse(dispute?.evidence_due_at ?? "") - Date.parse(dispute?.at ?? "")) / 86_400_000;
  expect(days).toBe(14);
});

it("a dispute that is lost changes its row, and every other row stays as it is", async () => {
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: charge?.id, status: "needs_response" });
  await money.deliverAll();
  const before = await list(money.table, community.id, all);
  await money.control("disputes", { charge: charge?.id, status: "lost" });
  await money.deliverAll();
  const after = await list(money.table, community.id, all);
  const lost = before.data.map((row) => (row.type === "dispute" ? { ...row, status: "lost" } : row));
  expect(after.data).toEqual(lost);
});

it("more transactions than fit into one DynamoDB transaction are all listed", async () => {
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    for (let n = 0; n < 250; n++) create(account, { charge: charge?.id ?? "", amount: 1 });
  });
  const { data } = await money.stripe.events.list({ limit: 1, types: ["refund.created"] });
  expect(await Promise.all(data.map(money.deliver))).toEqual([200]);
  const rows = await queryAll(money.table, { pk: keys.transaction(community.id, "refund", "").pk });
  expect(rows.filter(({ type }) => type === "refund")).toHaveLength(250);
  expect(rows.filter(({ type }) => type === "payment")).toHaveLength(1);
});
