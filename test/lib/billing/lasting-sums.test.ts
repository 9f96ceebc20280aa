import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { linkOf } from "#lib/billing/operations.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import * as customers from "#lib/store/customers.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import type { Writer } from "#lib/store/table.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

type Charge = { id: string; status: string; amount_refunded_cents: number; refundable_cents: number };
type Invoice = { id: string; status: string; amount_paid_cents: number; charges: Charge[] };

async function historyOf(member: StoredMember): Promise<Invoice[]> {
  const { body } = await money.call(paymentHistory, forMember(member));
  return (body as { data: Invoice[] }).data;
}

const chargesIn = async (member: StoredMember) => (await historyOf(member)).flatMap(({ charges }) => charges);

/** Lets the person of a member check out again. */
async function rejoin(member: StoredMember): Promise<StoredMember> {
  const { body } = await money.openCheckout(community, member.user);
  await money.complete(body?.url);
  await money.deliverAll();
  return money.memberNow(member);
}

afterEach(() => money.control("faults", { deleted_customer_lists: "answered" }));

describe("a customer who is deleted at Stripe", () => {
  it.each(["answered", "refused"])(
    "the member of a deleted customer keeps sums, refunds and history, and payments of a new customer are added (lists of deleted customers: %s)",
    async (lists) => {
      await money.control("faults", { deleted_customer_lists: lists });
      const member = await money.aSubscriber(community);
      await money.call(issueRefund, { ...forMember(member), body: { amount_cents: 500, note: "kept" } });
      const [before] = await historyOf(member);

      await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
      await money.deliverAll();
      const kept = {
        lifetime_spend_cents: 2000,
        total_refunded_cents: 500,
        refunds: [{ amount_cents: 500, note: "kept" }],
      };
      expect(await money.memberNow(member)).toMatchObject({ status: "canceled", ...kept });

      // Payments of the same second are sorted by id.
      await money.control("advance", { days: 1 });
      const again = await rejoin(member);
      expect(again).toMatchObject({ ...kept, status: "active", lifetime_spend_cents: 4500 });
      const [newer, older] = await historyOf(again);
      expect(newer).toMatchObject({ status: "paid", charges: [{ refundable_cents: 2500 }] });
      expect(older).toMatchObject({
        id: before?.id,
        status: "paid",
        amount_paid_cents: 2500,
        hosted_invoice_url: null,
        charges: [{ id: before?.charges[0]?.id, amount_refunded_cents: 500, refundable_cents: 0 }],
      });
      const charge_id = before?.charges[0]?.id;
      expect(await money.call(refundCharge, { ...forMember(again), body: { charge_id } })).toMatchObject({
        status: 409,
        body: { code: "nothing_to_refund" },
      });
    },
  );

  it.each(["answered", "refused"])(
    "a refund and a dispute of a deleted customer change the sums, before and after there is a new customer (lists of deleted customers: %s)",
    async (lists) => {
      await money.control("faults", { deleted_customer_lists: lists });
      const member = await money.aSubscriber(community);
      const [charge = ""] = (await chargesIn(member)).map(({ id }) => id);
      await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
      await money.deliverAll();
      await money.control("refund", { charge, amount: 300 });
      await money.deliverAll();
      expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2200, total_refunded_cents: 300 });

      await money.control("advance", { days: 1 });
      const again = await rejoin(member);
      await money.control("refund", { charge, amount: 400 });
      await money.control("disputes", { charge });
      await money.deliverAll();
      expect(await money.memberNow(again)).toMatchObject({
        lifetime_spend_cents: 4300,
        total_refunded_cents: 700,
        refunds: [{ amount_cents: 400 }, { amount_cents: 300 }],
        status: "active",
      });
      const shown = (await chargesIn(again)).find(({ id }) => id === charge);
      expect(shown).toMatchObject({ amount_refunded_cents: 700, refundable_cents: 0, disputed: true });
      expect((await ledgerOf(money.table, member.id)).disputes).toMatchObject([{ charge_id: charge }]);
    },
  );

  it("a dispute of a deleted customer is stored once if the next customer was deleted too", async () => {
    await money.control("faults", { deleted_customer_lists: "refused" });
    const member = await money.aSubscriber(community);
    const [charge = ""] = (await chargesIn(member)).map(({ id }) => id);
    await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
    await money.deliverAll();
    await money.openCheckout(community, member.user);
    const successor = await customers.find(money.table, member.user.id, community.id);
    expect(successor?.customer_id).not.toBe(member.stripe_customer_id);
    await money.control(`customers/${successor?.customer_id}`, { delete: true });
    await money.deliverAll();
    await money.control("disputes", { charge });
    await money.deliverAll();
    expect((await ledgerOf(money.table, member.id)).disputes).toMatchObject([{ charge_id: charge }]);
  });

  it.each(["succeeded", "failed"])(
    "a payment that was pending when its customer was deleted is counted if it succeeds after there is a new customer (as: %s)",
    async (settle_as) => {
      const member = await money.aSubscriber(community);
      await money.control("faults", { settle_days: 5, settle_as });
      await money.control("advance", { days: 32 });
      await money.control("faults", { settle_days: 0, settle_as: "succeeded" });
      await money.deliverAll();
      const pending = { charges: [{ status: "pending", refundable_cents: 0 }] };
      expect((await historyOf(member))[0]).toMatchObject(pending);
      await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
      await money.deliverAll();
      const again = await rejoin(member);
      expect(again).toMatchObject({ lifetime_spend_cents: 5000, status: "active" });

      await money.control("advance", { days: 6 });
      await money.deliverAll();
      const hasSucceeded = settle_as === "succeeded";
      expect(await money.memberNow(again)).toMatchObject({ lifetime_spend_cents: hasSucceeded ? 7500 : 5000 });
      expect((await historyOf(again))[1]).toMatchObject({
        status: hasSucceeded ? "paid" : "open",
        amount_paid_cents: hasSucceeded ? 2500 : 0,
        hosted_invoice_url: null,
        charges: [{ status: settle_as, refundable_cents: 0 }],
      });
    },
  );

  it.each(["answered", "refused"])(
    "a payment of an earlier subscription that was pending when its customer was deleted counts on the day on which it succeeds (lists of deleted customers: %s)",
    async (lists) => {
      const member = await money.aSubscriber(community);
      await money.control("faults", { settle_days: 5, deleted_customer_lists: lists });
      await money.control("advance", { days: 32 });
      await money.control("faults", { settle_days: 0 });
      await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
      await money.deliverAll();
      const again = await rejoin(member);
      expect(again.stripe_customer_id).toBe(member.stripe_customer_id);
      const known = Object.keys(again.paid_cents_by_day);
      await money.control(`customers/${again.stripe_customer_id}`, { delete: true });
      await money.deliverAll();

      await money.control("advance", { days: 6 });
      await money.deliverAll();
      const after = await money.memberNow(again);
      expect(after.lifetime_spend_cents).toBe(7500);
      const [, settled] = await historyOf(after);
      expect(settled).toMatchObject({ status: "paid", charges: [{ status: "succeeded", refundable_cents: 0 }] });
      const renewedAt = Date.parse(member.current_period_end ?? "");
      const settledOn = new Date(renewedAt + 5 * 86_400_000).toISOString().slice(0, 10);
      expect(Object.keys(after.paid_cents_by_day).filter((day) => !known.includes(day))).toEqual([settledOn]);
    },
  );

  it("a charge of a customer who was replaced is read with the open invoices of the next one, who was deleted too", async () => {
    const member = await money.aSubscriber(community);
    const [charge = ""] = (await chargesIn(member)).map(({ id }) => id);
    await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
    await money.deliverAll();
    const second = await rejoin(member);
    await money.control("faults", { settle_days: 5, deleted_customer_lists: "refused" });
    await money.control("advance", { days: 32 });
    await money.control("faults", { settle_days: 0 });
    await money.call(cancelSubscription, { ...forMember(second), body: { mode: "immediately" } });
    await money.deliverAll();
    const third = await rejoin(second);
    await money.control(`customers/${third.stripe_customer_id}`, { delete: true });
    await money.deliverAll();

    await money.control("advance", { days: 6 });
    const billing = money.platform().billing?.(() => 20_000) as Billing;
    await syncMember({ table: money.table, billing, now: new Date() }, linkOf(third), { former: { charge } });
    const { payments } = await ledgerOf(money.table, third.id);
    expect(payments.map(({ status }) => status)).toEqual(["paid", "paid", "paid", "paid"]);
    await money.deliverAll();
  });

  it("a refund during which the person gets another customer is returned and counted once", async () => {
    const member = await money.aSubscriber(community);
    const billing = money.platform().billing?.(() => 20_000) as Billing;
    // The deletion and the checkout happen between the refund and the read of it.
    const interrupted: Billing = async (ask, key) => {
      const answer = await billing(ask, key);
      if (key?.startsWith("refund")) {
        await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
        await money.deliverAll();
        await money.openCheckout(community, member.user);
      }
      return answer;
    };
    const platform = money.platform({ billing: () => interrupted });
    const answer = await money.answer(issueRefund, { ...forMember(member), body: { amount_cents: 500 } }, platform);
    expect(answer).toMatchObject({ status: 201, body: { refund: { amount_cents: 500 } } });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2000, total_refunded_cents: 500 });
  });

  it("a synchronization does not undo a refund that another one has stored since it read the payments", async () => {
    const member = await money.aSubscriber(community);
    const [charge = ""] = (await chargesIn(member)).map(({ id }) => id);
    await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
    await money.deliverAll();
    await money.control("advance", { days: 1 });
    const again = await rejoin(member);
    await money.control("refund", { charge, amount: 300 });
    let overtaken: Promise<unknown> | undefined;
    // The other synchronization begins and ends right after the payments were read.
    const table: Writer = {
      ...money.table,
      query: (input) => {
        const page = money.table.query(input);
        overtaken ??= page.then(() => money.deliverAll());
        return page;
      },
      get: async (key) => {
        await setImmediate();
        await overtaken;
        return money.table.get(key);
      },
    };
    const billing = money.platform().billing?.(() => 20_000) as Billing;
    await syncMember({ table, billing, now: new Date() }, linkOf(again));
    await overtaken;

    expect(await money.memberNow(again)).toMatchObject({ lifetime_spend_cents: 4700, total_refunded_cents: 300 });
  });

  it("the payment history of a deleted customer is read page by page", async () => {
    const member = await money.aSubscriber(community);
    await money.control("advance", { days: 95 });
    await money.deliverAll();
    const all = await historyOf(member);
    await money.control(`customers/${member.stripe_customer_id}`, { delete: true });
    await money.deliverAll();
    const again = await rejoin(member);

    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const query = `per=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await money.call(paymentHistory, { ...forMember(again), query });
      const { data, next_cursor } = body as unknown as { data: Invoice[]; next_cursor: string | null };
      seen.push(...data.map(({ id }) => id));
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    expect(seen.slice(1)).toEqual(all.map(({ id }) => id));
    expect(all).toHaveLength(4);
  });
});

it("payments and refunds at Stripe are added to the sums and refunds from an import", async () => {
  const person = await money.aPerson();
  const refund = {
    refund_id: "old_1",
    charge_id: "old_charge",
    amount_cents: 700,
    reason: "duplicate",
    status: "succeeded",
    note: "n",
    issued_at: "2025-06-01T00:00:00.000Z",
    issued_by: 3,
  };
  const outcome = await money.importMember(community, {
    user: person,
    status: "canceled",
    lifetime_spend_cents: 9000,
    total_refunded_cents: 1700,
    refunds: [refund],
  });
  const imported = await members.find(money.table, community.id, outcome?.id ?? 0);
  if (!imported) throw new Error("The member was not imported");

  const member = await rejoin(imported);
  expect(member).toMatchObject({ lifetime_spend_cents: 11_500, total_refunded_cents: 1700, refunds: [refund] });
  await money.call(issueRefund, { ...forMember(member), body: { amount_cents: 100 } });
  expect(await money.memberNow(member)).toMatchObject({
    lifetime_spend_cents: 11_400,
    total_refunded_cents: 1800,
    refunds: [{ amount_cents: 100 }, refund],
  });
});

describe("a payment that is not refundable", () => {
  it("an amount that was paid outside Stripe counts in the sums and has no charge in the payment history", async () => {
    const member = await money.aSubscriber(community);
    await money.control("faults", { decline: true });
    await money.control("advance", { days: 31 });
    await money.control("faults", { decline: 0 });
    const [open] = await historyOf(member);
    await money.control(`invoices/${open?.id}`, { paid_out_of_band: true });
    await money.deliverAll();

    expect(await money.memberNow(member)).toMatchObject({ status: "active", lifetime_spend_cents: 5000 });
    const [elsewhere, first] = await historyOf(member);
    expect(elsewhere).toMatchObject({ id: open?.id, status: "paid", amount_paid_cents: 2500 });
    expect(elsewhere?.charges.filter(({ status }) => status !== "failed")).toEqual([]);
    const { body } = await money.call(issueRefund, forMember(member));
    expect(body).toMatchObject({ refund: { charge_id: first?.charges[0]?.id, amount_cents: 2500 } });
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({ body: { code: "nothing_to_refund" } });
  });

  it.each([
    ["a lost", "lost", "nothing_to_refund"],
    ["an open", "needs_response", "charge_disputed"],
  ])("a charge with %s dispute is not refundable, and issue_refund refunds an older one", async (_, status, code) => {
    const member = await money.aSubscriber(community);
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    const [newest, oldest] = await chargesIn(member);
    await money.control("disputes", { charge: newest?.id, status });
    await money.deliverAll();

    expect(await chargesIn(member)).toMatchObject([{ refundable_cents: 0 }, { refundable_cents: 2500 }]);
    expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 5000 });
    expect((await ledgerOf(money.table, member.id)).disputes).toMatchObject([
      { charge_id: newest?.id, amount_cents: 2500, status },
    ]);
    const { body } = await money.call(issueRefund, forMember(member));
    expect(body).toMatchObject({ refund: { charge_id: oldest?.id } });
    const charge_id = newest?.id;
    expect(await money.call(refundCharge, { ...forMember(member), body: { charge_id } })).toMatchObject({
      status: 409,
      body: { code },
    });
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({ status: 409, body: { code } });
  });
});
