import { afterEach, expect, it } from "vitest";
import { idOf } from "#lib/billing/snapshot.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { handler as cancelOwn } from "../../../functions/membership/cancel-subscription.ts";
import { fromNow } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

afterEach(() => money.control("faults", { decline: false, after_retries: "canceled" }));

const timeAtStripe = () => new Date(1000 * money.standIn.act((account) => account.now()));

/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now: timeAtStripe });

const statusOf = async (id: string | null) => (await money.stripe.subscriptions.retrieve(id ?? "")).status;

const refundedOf = async (member: StoredMember): Promise<number[]> =>
  (await money.chargesOf(member.stripe_customer_id))
    .map(({ amount_refunded }) => amount_refunded)
    .toSorted((a, b) => a - b);

const leave = (member: StoredMember, body: object) =>
  money.call(cancelOwn, { params: { community_id: community.id }, as: { id: member.user.id }, body }, moved());

/** The comment of a rejected subscription begins like this. */
const comment = "Rejected by Odis: I changed my mind";

it.each([
  ["at_period_end", { cancel_at_period_end: true, status: "active" }],
  ["immediately", { status: "canceled" }],
])("a member who cancels %s with the comment of a rejection has canceled", async (mode, expected) => {
  const member = await money.aSubscriber(community);
  expect(await leave(member, { mode, comment })).toMatchObject({ status: 200, body: expected });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject(expected);
  expect(await refundedOf(member)).toEqual([0]);
});

it("a member who does not pay and cancels with the comment of a rejection loses access", async () => {
  await money.control("faults", { after_retries: "unpaid" });
  const member = await money.aSubscriber(community);
  await money.control("faults", { decline: true });
  await money.control("advance", { days: 31 });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({ status: "past_due" });
  await leave(member, { comment });
  await money.control("advance", { days: 25 });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({ status: "unpaid" });
});

/** The rows by which the invoices of a subscription were paid, in the stand-in. */
const paymentOf = async (member: StoredMember, subscription: string | null) => {
  const { data } = await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "" });
  const invoice = data.find(({ parent }) => parent?.subscription_details?.subscription === subscription)?.id;
  return money.standIn.act((account) => {
    const found = [...account.rows("invoice_payment")].find((row) => row.invoice === invoice);
    if (!found) throw new Error("The invoice has no payment");
    return found;
  });
};

it("the payment of a rejected subscription is refunded after ten payments that failed", async () => {
  const member = await money.aSubscriber(community);
  const { id } = await money.anotherSubscription(member, community);
  const paid = await paymentOf(member, id);
  money.standIn.act((account) => {
    const intent = account.get("payment_intent", idOf(paid.payment.payment_intent) ?? "");
    if (!intent) throw new Error("The payment has no payment intent");
    for (let n = 0; n < 12; n++) {
      const failed = `pi_failed_${n}_${member.id}`;
      account.put("payment_intent", { ...intent, id: failed, status: "canceled", latest_charge: null });
      account.put("invoice_payment", {
        ...paid,
        id: account.newId("inpay"),
        status: "canceled",
        amount_paid: null,
        payment: { type: "payment_intent", payment_intent: failed },
        status_transitions: { canceled_at: account.now(), paid_at: null },
      });
    }
  });
  await money.deliverAll();
  expect(await statusOf(id)).toBe("canceled");
  expect(await refundedOf(member)).toEqual([0, 2500]);
});

it("of a charge that has also paid another invoice, only the part of the rejected subscription is refunded, once", async () => {
  const member = await money.aSubscriber(community);
  const { id } = await money.anotherSubscription(member, community);
  const [own, other] = [await paymentOf(member, id), await paymentOf(member, member.stripe_subscription_id)];
  money.standIn.act((account) => {
    account.put("invoice_payment", { ...own, amount_paid: 2400 });
    account.put("invoice_payment", { ...other, id: account.newId("inpay"), amount_paid: 100, payment: own.payment });
    account.put("invoice_payment", { ...other, amount_paid: 2400 });
  });
  await money.deliverAll();
  expect(await refundedOf(member)).toEqual([0, 2400]);
  // Stripe removes idempotency keys after a day.
  await money.control("advance", { days: 2 });
  await money.reopen(member, `reject-${id}`);
  await money.reconcile(fromNow({ minutes: 10 }));
  expect(await refundedOf(member)).toEqual([0, 2400]);
  await expectNothingOpen(money.table, member);
});

it("of a charge that has also paid another invoice, a rejection refunds no more than is left of it", async () => {
  const member = await money.aSubscriber(community);
  const { id } = await money.anotherSubscription(member, community);
  const [own, other] = [await paymentOf(member, id), await paymentOf(member, member.stripe_subscription_id)];
  money.standIn.act((account) => {
    account.put("invoice_payment", { ...own, amount_paid: 2400 });
    account.put("invoice_payment", { ...other, id: account.newId("inpay"), amount_paid: 100, payment: own.payment });
    account.put("invoice_payment", { ...other, amount_paid: 2400 });
  });
  const charges = await money.chargesOf(member.stripe_customer_id);
  const charge = charges.find(({ payment_intent }) => idOf(payment_intent) === idOf(own.payment.payment_intent));
  await money.control("refund", { charge: charge?.id, amount: 200 });
  await money.deliverAll();
  expect(await refundedOf(member)).toEqual([0, 2500]);
  await expectNothingOpen(money.table, member);
});

it("the rejection of a subscription is complete once its dispute was prevented by returning the money", async () => {
  const member = await money.aSubscriber(community);
  const { id } = await money.anotherSubscription(member, community);
  const paid = await paymentOf(member, id);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  expect(idOf(paid.payment.payment_intent)).toBe(charge?.payment_intent);
  await money.control("disputes", { charge: charge?.id, status: "prevented" });
  await money.deliverAll();
  expect(await statusOf(id)).toBe("canceled");
  expect(await refundedOf(member)).toEqual([0, 0]);
  await expectNothingOpen(money.table, member);
});

// Stripe does not document whether a dispute that was won says that its charge is refundable.
it.each(["refundable", "unmarked"] as const)(
  "the payment of a rejected subscription is refunded once its dispute is won (%s)",
  async (won_dispute) => {
    await money.control("faults", { won_dispute });
    const member = await money.aSubscriber(community);
    await money.anotherSubscription(member, community);
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    await money.control("disputes", { charge: charge?.id });
    await money.deliverAll();
    expect(await refundedOf(member)).toEqual([0, 0]);
    await money.control("disputes", { charge: charge?.id, status: "won" });
    await money.deliverAll();
    await money.reconcile(fromNow({ minutes: 20 }));
    expect(await refundedOf(member)).toEqual([0, 2500]);
    await expectNothingOpen(money.table, member);
  },
);

it("a refund that Stripe refuses leaves no other rejected subscription alive", async () => {
  const member = await money.aSubscriber(community);
  const another = (operation: string) => money.anotherSubscription(member, community, operation);
  const others = [await another("second"), await another("third")];
  await money.control("refuse", { code: "charge_not_refundable", path: "/v1/refunds" });
  await money.deliverAll();
  expect(await Promise.all(others.map(({ id }) => statusOf(id)))).toEqual(["canceled", "canceled"]);
  expect(await statusOf(member.stripe_subscription_id)).toBe("active");
});

it("a cancellation succeeds although Stripe refuses the refund of a rejected subscription, which stays open", async () => {
  const member = await money.aSubscriber(community);
  const { id: rejected } = await money.anotherSubscription(member, community);
  await money.control("refuse", { code: "charge_not_refundable", path: "/v1/refunds" });
  expect(await leave(member, {})).toMatchObject({ status: 200, body: { cancel_at_period_end: true } });
  const { operations } = await ledgerOf(money.table, member.id);
  expect(operations.filter(({ state }) => state === "open").map(({ id }) => id)).toEqual([`reject-${rejected}`]);
  // Stripe repeats a refusal for the same idempotency key for a day.
  await money.control("advance", { days: 2 });
  await money.reconcile(timeAtStripe());
  await expectNothingOpen(money.table, member);
  expect(await refundedOf(member)).toEqual([0, 2500]);
});
