import type Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
let foreignPrice: string;
beforeAll(async () => {
  community = await money.aPricedCommunity();
  const product = await money.stripe.products.create({ name: "Sold by another system" });
  const price = await money.stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 3000,
    recurring: { interval: "month" },
  });
  foreignPrice = price.id;
});

/** A customer of another system, who subscribed to so many of its prices. */
async function aForeignCustomer(count: number): Promise<{ customer: string; subscriptions: string[] }> {
  const { id: customer } = await money.stripe.customers.create({ email: "ana@example.com" });
  const subscriptions: string[] = [];
  for (let n = 0; n < count; n++) subscriptions.push(await subscribeInDashboard(customer));
  return { customer, subscriptions };
}

async function subscribeInDashboard(customer: string): Promise<string> {
  const { id: card } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer });
  const items = [{ price: foreignPrice }];
  const { id } = await money.stripe.subscriptions.create({ customer, items, default_payment_method: card });
  return id;
}

async function importing(record: object): Promise<number> {
  const { id: userId } = await money.aPerson();
  const { body } = await money.call(importBatch, {
    params: { community_id: community.id },
    body: {
      members: [
        {
          user: { id: userId },
          tier_id: community.tier.id,
          status: "active",
          created_at: "2025-05-01T00:00:00.000Z",
          current_period_start: "2026-10-01T00:00:00.000Z",
          current_period_end: "2026-11-01T00:00:00.000Z",
          ...record,
        },
      ],
    },
  });
  const [outcome] = (body as { data: { id: number; outcome: string }[] }).data;
  expect(outcome).toMatchObject({ outcome: "created" });
  return outcome?.id ?? 0;
}

/** Lets a month pass, with all of its events, and reconciles: everything that could cancel or refund by itself. */
async function aMonthPasses(): Promise<void> {
  await money.deliverAll();
  await money.control("advance", { days: 31 });
  await money.deliverAll();
  await money.reconcile();
}

async function expectUntouched(customer: string, subscriptions: readonly string[]): Promise<void> {
  const { data: charges } = await money.stripe.charges.list({ customer, limit: 100 });
  const found: Stripe.Subscription[] = [];
  for (const id of subscriptions) found.push(await money.stripe.subscriptions.retrieve(id));
  expect({
    refunded: charges.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0),
    statuses: found.map(({ status }) => status),
  }).toEqual({ refunded: 0, statuses: subscriptions.map(() => "active") });
}

describe("a live subscription that no checkout of ours made is neither canceled nor refunded", () => {
  it("when the imported customer has a second one", async () => {
    const { customer, subscriptions } = await aForeignCustomer(2);
    const [named] = subscriptions;
    const id = await importing({ stripe_customer_id: customer, stripe_subscription_id: named });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
    expect(await members.find(money.table, community.id, id)).toMatchObject({ stripe_subscription_id: named });
  });

  it("when the import names no subscription and blocks the member", async () => {
    const { customer, subscriptions } = await aForeignCustomer(1);
    const id = await importing({ stripe_customer_id: customer, is_blocked: true });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
    expect(await members.find(money.table, community.id, id)).toMatchObject({ is_blocked: true });
  });

  it("when the member is blocked between the import and the first event", async () => {
    const { customer, subscriptions } = await aForeignCustomer(1);
    const id = await importing({ stripe_customer_id: customer });
    expect(await money.call(block, { params: { community_id: community.id, id } })).toMatchObject({ status: 200 });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
  });

  it("when it is made in the dashboard for a member who subscribes through us", async () => {
    const member = await money.aSubscriber(community);
    const added = await subscribeInDashboard(member.stripe_customer_id ?? "");
    await aMonthPasses();
    await expectUntouched(member.stripe_customer_id ?? "", [member.stripe_subscription_id ?? "", added]);
    expect(await money.memberNow(member)).toMatchObject({ stripe_subscription_id: member.stripe_subscription_id });
  });

  it("and does not end the subscription that a checkout of ours makes after it", async () => {
    const person = await money.aPerson();
    const { body } = await money.openCheckout(community, person);
    const item = await money.table.get(keys.customerOf(person.id, community.id));
    const customer = String(item?.customer_id);
    const foreign = await subscribeInDashboard(customer);
    await money.complete(body?.url);
    await aMonthPasses();

    const { data } = await money.stripe.subscriptions.list({ customer });
    const ours = data.find(({ id }) => id !== foreign)?.id;
    await expectUntouched(customer, [foreign, ours ?? ""]);
    expect(await members.find(money.table, community.id, Number(item?.member_id))).toMatchObject({
      status: "active",
      stripe_subscription_id: ours,
    });
  });

  it("and opens nothing: who ended their membership stays without access", async () => {
    const member = await money.aSubscriber(community);
    const foreign = await subscribeInDashboard(member.stripe_customer_id ?? "");
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await aMonthPasses();
    await expectUntouched(member.stripe_customer_id ?? "", [foreign]);
    expect(await money.memberNow(member)).toMatchObject({
      status: "canceled",
      stripe_subscription_id: member.stripe_subscription_id,
    });
  });
});
