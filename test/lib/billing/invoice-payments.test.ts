import { expect, it } from "vitest";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

it("the charge of an invoice is found after a hundred failed payments", async () => {
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    const [paid] = [...account.rows("invoice_payment")].filter(
      ({ payment }) => payment.payment_intent === charge?.payment_intent,
    );
    if (!paid) throw new Error("The invoice has no payment");
    const status_transitions = { canceled_at: account.now(), paid_at: null };
    for (let n = 0; n < 110; n++)
      account.put("invoice_payment", {
        ...paid,
        id: account.newId("inpay"),
        status: "canceled",
        amount_paid: null,
        payment: { type: "payment_intent", payment_intent: `pi_canceled_${n}` },
        status_transitions,
      });
  });
  await money.control("refund", { charge: charge?.id, amount: 100 });
  await money.deliverAll();

  expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2400, total_refunded_cents: 100 });
  const { body } = await money.call(paymentHistory, forMember(member));
  expect(body).toMatchObject({ data: [{ charges: [{ id: charge?.id, amount_refunded_cents: 100 }] }] });
});

it("a charge that pays two invoices counts once, and each invoice shows its part of the charge", async () => {
  const member = await money.aSubscriber(community);
  await money.control("advance", { days: 32 });
  await money.deliverAll();
  const charges = await money.chargesOf(member.stripe_customer_id);
  expect(charges.map(({ amount_captured }) => amount_captured)).toEqual([2500, 2500]);
  money.standIn.act((account) => {
    const paid = [...account.rows("invoice_payment")].filter(({ payment }) =>
      charges.some(({ payment_intent }) => payment_intent === payment.payment_intent),
    );
    const [first, second] = paid;
    if (!first || !second) throw new Error("The invoices have no payments");
    account.put("invoice_payment", { ...second, id: account.newId("inpay"), amount_paid: 1, payment: first.payment });
    account.put("invoice_payment", { ...first, amount_paid: 2499 });
  });
  await money.control("refund", { charge: charges[0]?.id, amount: 100 });
  await money.deliverAll();

  const after = await money.memberNow(member);
  expect(after).toMatchObject({ lifetime_spend_cents: 4900, total_refunded_cents: 100 });
  expect(Object.values(after.paid_cents_by_day).reduce((sum, cents) => sum + cents, 0)).toBe(5000);
});

it("the payment history shows the period that a renewal pays for, not the previous period", async () => {
  const member = await money.aSubscriber(community);
  const { current_period_start, current_period_end } = member;
  await money.control("advance", { days: 32 });
  await money.deliverAll();
  const renewed = await money.memberNow(member);
  const { body } = await money.call(paymentHistory, forMember(member));
  expect(body).toMatchObject({
    data: [
      { period_start: renewed.current_period_start, period_end: renewed.current_period_end },
      { period_start: current_period_start, period_end: current_period_end },
    ],
  });
});

it("a charge cannot be refunded while its lost dispute is under appeal", async () => {
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: charge?.id, status: "lost" });
  money.standIn.act((account) => {
    for (const dispute of account.rows("dispute"))
      if (dispute.charge === charge?.id) account.put("dispute", { ...dispute, status: "appeal_under_review" });
  });
  const { body } = await money.call(paymentHistory, forMember(member));
  expect(body).toMatchObject({ data: [{ charges: [{ id: charge?.id, refundable_cents: 0 }] }] });
});

it("the charge of an invoice counts even before Stripe sets amount_paid of the invoice payment", async () => {
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    for (const payment of account.rows("invoice_payment"))
      if (payment.payment.payment_intent === charge?.payment_intent)
        account.put("invoice_payment", { ...payment, status: "open", amount_paid: null });
  });
  await money.control("refund", { charge: charge?.id, amount: 100 });
  await money.deliverAll();

  expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2400, total_refunded_cents: 100 });
});
