import type Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as block } from "../../../functions/members/block.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
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

/** A customer of another system, with subscriptions to a number of its prices. */
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
  const outcome = await money.importMember(community, { user: await money.aPerson(), status: "active", ...record });
  expect(outcome).toMatchObject({ outcome: "created" });
  return outcome?.id ?? 0;
}

/** Advances a month, delivers all events and reconciles, so that everything that could cancel or refund has run. */
async function aMonthPasses(): Promise<void> {
  await money.deliverAll();
  await money.control("advance", { days: 31 });
  await money.deliverAll();
  await money.reconcile();
}

async function expectUntouched(customer: string, subscriptions: readonly string[]): Promise<void> {
  const charges = await money.chargesOf(customer);
  const found: Stripe.Subscription[] = [];
  for (const id of subscriptions) found.push(await money.stripe.subscriptions.retrieve(id));
  expect({
    refunded: charges.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0),
    statuses: found.map(({ status }) => status),
  }).toEqual({ refunded: 0, statuses: subscriptions.map(() => "active") });
}

describe("foreign subscriptions", () => {
  it("both subscriptions of an imported customer are left alone", async () => {
    const { customer, subscriptions } = await aForeignCustomer(2);
    const [named] = subscriptions;
    const id = await importing({ stripe_customer_id: customer, stripe_subscription_id: named });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
    expect(await members.find(money.table, community.id, id)).toMatchObject({ stripe_subscription_id: named });
  });

  it("the subscription of a customer who is imported as blocked is left alone", async () => {
    const { customer, subscriptions } = await aForeignCustomer(1);
    const id = await importing({ stripe_customer_id: customer, is_blocked: true });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
    expect(await members.find(money.table, community.id, id)).toMatchObject({ is_blocked: true });
  });

  it("the subscription of a customer who is blocked right after the import is left alone", async () => {
    const { customer, subscriptions } = await aForeignCustomer(1);
    const id = await importing({ stripe_customer_id: customer });
    expect(await money.call(block, forMember({ community_id: community.id, id }))).toMatchObject({ status: 200 });
    await aMonthPasses();
    await expectUntouched(customer, subscriptions);
  });

  it("a subscription that is created in the dashboard for a member's customer is ignored", async () => {
    const member = await money.aSubscriber(community);
    const added = await subscribeInDashboard(member.stripe_customer_id ?? "");
    await aMonthPasses();
    await expectUntouched(member.stripe_customer_id ?? "", [member.stripe_subscription_id ?? "", added]);
    expect(await money.memberNow(member)).toMatchObject({ stripe_subscription_id: member.stripe_subscription_id });
  });

  it("a foreign subscription does not cause the rejection of a later one from our checkout", async () => {
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

  it("a foreign subscription gives no access to a member whose own subscription has ended", async () => {
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
