import type Stripe from "stripe";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((line) => Boolean(lines.push(String(line))));
});

/** The value of a metric since the start of the test. */
const measured = (name: string): number =>
  lines.reduce((sum, line) => sum + Number(new RegExp(`"${name}":(\\d+)`).exec(line)?.[1] ?? 0), 0);

async function aPrice(currency: string, tier_id?: number): Promise<string> {
  const product = await money.stripe.products.create({ name: "Sold elsewhere" });
  const { id } = await money.stripe.prices.create({
    product: product.id,
    currency,
    unit_amount: 3000,
    recurring: { interval: "month" },
    ...(tier_id !== undefined && { metadata: { tier_id: String(tier_id) } }),
  });
  return id;
}

async function subscribe(member: StoredMember, price: string, labels = {}): Promise<Stripe.Subscription> {
  const customer = member.stripe_customer_id ?? "";
  const { id: card } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer });
  const params = { customer, items: [{ price }], default_payment_method: card, metadata: labels };
  return money.stripe.subscriptions.create(params);
}

async function moveTo(subscription: string | null, price: string): Promise<void> {
  const { items } = await money.stripe.subscriptions.retrieve(subscription ?? "");
  await money.stripe.subscriptions.update(subscription ?? "", {
    items: [{ id: items.data[0]?.id ?? "", price }],
    metadata: { member_id: "" },
    proration_behavior: "none",
  });
}

describe("the subscriptions of a member", () => {
  it("a member keeps a subscription that loses its metadata and moves to an unknown price", async () => {
    const member = await money.aSubscriber(community);
    await moveTo(member.stripe_subscription_id, await aPrice("usd"));
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({
      status: "active",
      tier_id: community.tier.id,
      lifetime_spend_cents: 5500,
    });
    expect(measured("unknown_price")).toBeGreaterThan(0);
    expect(measured("foreign_payment")).toBe(0);
  });

  it("a subscription that moves to a price of another community keeps the member's tier", async () => {
    const other = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await moveTo(member.stripe_subscription_id, other.tier.stripe_price_id ?? "");
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ tier_id: community.tier.id });
    expect(measured("unknown_price")).toBeGreaterThan(0);
  });

  it("a second subscription whose metadata names the member becomes theirs and is never canceled", async () => {
    const member = await money.aSubscriber(community);
    const price = await aPrice("usd", community.tier.id);
    const adopted = await subscribe(member, price, { member_id: String(member.id) });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    await money.reconcile();

    const own = member.stripe_subscription_id ?? "";
    for (const id of [own, adopted.id])
      expect(await money.stripe.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
    expect(await money.memberNow(member)).toMatchObject({
      stripe_subscription_id: own,
      lifetime_spend_cents: 11_000,
      total_refunded_cents: 0,
    });
    await money.stripe.subscriptions.cancel(own);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active", stripe_subscription_id: adopted.id });
  });

  it("a subscription that names the member and is on no price of the community is ignored", async () => {
    const member = await money.aSubscriber(community);
    await subscribe(member, await aPrice("usd"), { member_id: String(member.id) });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2500 });
    expect(measured("foreign_subscription")).toBeGreaterThan(0);
  });
});

describe("the payments of a member", () => {
  it("dashboard charges and payments of foreign subscriptions are in no sum and are never refunded", async () => {
    const member = await money.aSubscriber(community);
    await subscribe(member, await aPrice("usd"));
    await money.control("charges", { customer: member.stripe_customer_id, amount: 9900 });
    await money.deliverAll();
    await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { metadata: { seen: "yes" } });
    await money.deliverAll();

    expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2500 });
    const { body } = await money.call(paymentHistory, forMember(member));
    expect(body).toMatchObject({ data: [{ amount_paid_cents: 2500 }] });
    expect(measured("foreign_subscription")).toBeGreaterThan(0);
    expect(measured("foreign_payment")).toBeGreaterThan(0);

    const foreign = (await money.chargesOf(member.stripe_customer_id)).filter(({ amount }) => amount !== 2500);
    expect(foreign).toHaveLength(2);
    for (const { id: charge_id } of foreign)
      expect(await money.call(refundCharge, { ...forMember(member), body: { charge_id } })).toMatchObject({
        status: 404,
      });
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({
      body: { refund: { amount_cents: 2500 } },
    });
    expect(await money.call(issueRefund, forMember(member))).toMatchObject({ body: { code: "nothing_to_refund" } });
  });

  it("a subscription in another currency sets status and access, and its payments are in no sum", async () => {
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    const price = await aPrice("eur", community.tier.id);
    const euro = await subscribe(member, price, { member_id: String(member.id) });
    await money.deliverAll();

    expect(await money.memberNow(member)).toMatchObject({
      status: "active",
      stripe_subscription_id: euro.id,
      lifetime_spend_cents: 2500,
    });
    const { body } = await money.call(paymentHistory, forMember(member));
    expect(body).toMatchObject({ data: [{ currency: "usd", amount_paid_cents: 2500 }] });
    expect(measured("foreign_currency")).toBeGreaterThan(0);
  });
});
