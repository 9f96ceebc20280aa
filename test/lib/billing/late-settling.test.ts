import type Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { fromNow } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());
afterEach(() => money.control("faults", { settle_days: 0, settle_as: "succeeded", decline: 0 }));

/** A blocked person who has completed a checkout all the same, and the subscription of that checkout. */
async function aBlockedCheckout(credit = 0): Promise<{ member: StoredMember; rejected: Stripe.Subscription }> {
  const member = await money.aSubscriber(community);
  await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
  const entry = { amount: -credit, currency: "usd" };
  if (credit !== 0) await money.stripe.customers.createBalanceTransaction(member.stripe_customer_id ?? "", entry);
  const { body } = await money.openCheckout(community, member.user);
  await money.complete(body?.url);
  await money.call(block, forMember(member));
  await money.deliverAll();
  const [rejected] = await money.subscriptionsOf(member.stripe_customer_id);
  if (!rejected) throw new Error("The checkout has made no subscription");
  return { member, rejected };
}

it("an automatic cancellation refunds a payment that has a charge and no payment intent", async () => {
  const member = await money.aSubscriber(community);
  await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
  const { body } = await money.openCheckout(community, member.user);
  await money.complete(body?.url);
  const [rejected] = await money.subscriptionsOf(member.stripe_customer_id);
  const [invoice] = rejected ? await invoicesOf(rejected) : [];
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    for (const payment of account.rows("invoice_payment"))
      if (payment.invoice === invoice?.id)
        account.put("invoice_payment", { ...payment, payment: { type: "charge", charge: charge?.id ?? "" } });
  });
  await money.call(block, forMember(member));
  await money.deliverAll();
  expect(await money.stripe.charges.retrieve(charge?.id ?? "")).toMatchObject({ amount_refunded: 2500 });
  await expectNothingOpen(money.table, member);
});

it.each([
  ["a part", 1000],
  ["all", 2500],
])("an automatic cancellation gives back the credit that paid %s of its invoice, once", async (_, credit) => {
  const { member, rejected } = await aBlockedCheckout(credit);
  const customer = member.stripe_customer_id ?? "";
  const balance = async () => (await money.stripe.customers.retrieve(customer)) as Stripe.Customer;
  const refunded = async () =>
    (await money.chargesOf(customer)).reduce((sum, charge) => sum + charge.amount_refunded, 0);
  expect(await balance()).toMatchObject({ balance: -credit });
  expect(await refunded()).toBe(2500 - credit);
  await expectNothingOpen(money.table, member);

  await money.control("advance", { days: 2 });
  await money.reopen(member, `reject-${rejected.id}`);
  await money.reconcile(fromNow({ minutes: 10 }));
  await expectNothingOpen(money.table, member);
  expect(await balance()).toMatchObject({ balance: -credit });
});

const invoicesOf = async ({ id }: Stripe.Subscription) =>
  (await money.stripe.invoices.list({ subscription: id, expand: ["data.payments"] })).data;

describe("an automatic cancellation of a subscription whose payment settles late", () => {
  it("an automatic cancellation stays open until a late payment has settled, and then refunds it", async () => {
    await money.control("faults", { settle_days: 4 });
    const { member, rejected } = await aBlockedCheckout();
    expect(rejected.status).toBe("canceled");
    expect(await invoicesOf(rejected)).toMatchObject([{ status: "open" }]);
    await money.reconcile(new Date(Date.now() + 3_600_000));
    const id = `reject-${rejected.id}`;
    expect(await money.table.get(keys.operation(member.id, id))).toMatchObject({ state: "open" });

    await money.control("advance", { days: 5 });
    await money.deliverAll();
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    expect(charge).toMatchObject({ status: "succeeded", amount_refunded: 2500 });
    await expectNothingOpen(money.table, member);
    expect(await money.memberNow(member)).toMatchObject({ status: "canceled", total_refunded_cents: 2500 });
  });

  it("the schedule refunds a late payment of a rejected subscription if the event of its settlement is lost", async () => {
    await money.control("faults", { settle_days: 4 });
    const { member } = await aBlockedCheckout();
    await money.control("advance", { days: 5 });
    await money.reconcile(new Date(Date.now() + 3_600_000));
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    expect(charge).toMatchObject({ status: "succeeded", amount_refunded: 2500 });
    await expectNothingOpen(money.table, member);
  });

  it("an automatic cancellation voids the invoice once the late payment has failed", async () => {
    await money.control("faults", { settle_days: 4, settle_as: "failed" });
    const { member, rejected } = await aBlockedCheckout();
    await money.control("advance", { days: 5 });
    await money.deliverAll();
    await money.reconcile(new Date(Date.now() + 3_600_000));
    expect(await invoicesOf(rejected)).toMatchObject([{ status: "void" }]);
    await expectNothingOpen(money.table, member);
  });

  it("an automatic cancellation waits during a dispute of the payment, and ends when the dispute is lost", async () => {
    await money.control("faults", { settle_days: 4 });
    const { member } = await aBlockedCheckout();
    await money.control("advance", { days: 5 });
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    await money.control("disputes", { charge: charge?.id });
    await money.deliverAll();
    await money.reconcile(new Date(Date.now() + 3_600_000));
    await money.control("disputes", { charge: charge?.id, status: "lost" });
    await money.deliverAll();
    await expectNothingOpen(money.table, member);
    expect((await money.chargesOf(member.stripe_customer_id))[0]).toMatchObject({ amount_refunded: 0 });
  });
});

describe("an automatic cancellation beside a subscription that is kept", () => {
  it("an automatic cancellation voids its open invoices and resumes collection of the other ones", async () => {
    const member = await money.aSubscriber(community);
    await money.control("faults", { decline: true });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "past_due" });
    await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "");
    const second = await money.anotherSubscription(member, community);
    await money.control("faults", { decline: 0 });
    const [unpaid] = await invoicesOf(second);
    await money.stripe.invoices.pay(unpaid?.id ?? "");
    await money.deliverAll();

    expect(await money.stripe.subscriptions.retrieve(second.id)).toMatchObject({ status: "canceled" });
    const [open] = (await money.stripe.invoices.list({ customer: member.stripe_customer_id ?? "", status: "open" }))
      .data;
    expect(open).toMatchObject({
      auto_advance: true,
      parent: { subscription_details: { subscription: member.stripe_subscription_id } },
    });
    await expectNothingOpen(money.table, member);
    await money.control("advance", { days: 8 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active", lifetime_spend_cents: 5000 });
  });

  it("an automatic cancellation voids an open renewal invoice of its subscription", async () => {
    const member = await money.aSubscriber(community);
    const second = await money.anotherSubscription(member, community);
    await money.control("faults", { decline: true });
    await money.control("advance", { days: 31 });
    await money.control("faults", { decline: 0 });
    await money.deliverAll();
    expect((await invoicesOf(second)).map(({ status }) => status)).toEqual(["void", "paid"]);
    expect(await members.find(money.table, community.id, member.id)).toMatchObject({
      stripe_subscription_id: member.stripe_subscription_id,
      total_refunded_cents: 2500,
    });
    await expectNothingOpen(money.table, member);
  });
});

it.each(["at_period_end", "immediately"])(
  "a cancellation %s ends a subscription that was never paid at once",
  async (mode) => {
    const member = await money.aSubscriber(community);
    await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
    const { id } = await money.stripe.subscriptions.create({
      customer: member.stripe_customer_id ?? "",
      items: [{ price: community.tier.stripe_price_id ?? "" }],
      payment_behavior: "default_incomplete",
      metadata: { member_id: String(member.id) },
    });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "incomplete", stripe_subscription_id: id });
    expect(await money.call(cancelSubscription, { ...forMember(member), body: { mode } })).toMatchObject({
      status: 200,
      body: { status: "canceled", cancel_at: null },
    });
    expect(["canceled", "incomplete_expired"]).toContain((await money.stripe.subscriptions.retrieve(id)).status);
  },
);

it("a subscription that is paid for only after the person was blocked is canceled and refunded", async () => {
  const member = await money.aSubscriber(community);
  await money.call(cancelSubscription, { ...forMember(member), body: { mode: "immediately" } });
  const customer = member.stripe_customer_id ?? "";
  const { id } = await money.stripe.subscriptions.create({
    customer,
    items: [{ price: community.tier.stripe_price_id ?? "" }],
    payment_behavior: "default_incomplete",
    metadata: { member_id: String(member.id), operation_id: `op_late_${member.id}` },
  });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({ status: "incomplete", stripe_subscription_id: id });
  await money.call(block, forMember(member));
  const [invoice] = (await money.stripe.invoices.list({ subscription: id })).data;
  await money.stripe.invoices.pay(invoice?.id ?? "", { payment_method: "pm_card_visa" });
  await money.deliverAll();
  expect(await money.memberNow(member)).toMatchObject({
    status: "canceled",
    lifetime_spend_cents: 2500,
    total_refunded_cents: 2500,
  });
  await expectNothingOpen(money.table, member);
});
