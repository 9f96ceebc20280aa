import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { aDebt } from "../../support/money/debt.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(async () => {
  const first = await money.aPricedCommunity();
  return { ...first, free: await money.aPricedTier(first, { name: "Guest", monthly_price_dollars: 0 }) };
});

const now = (days = 0) => new Date(1000 * money.standIn.act((account) => account.now()) + days * 86_400_000);
/** Handlers whose clock is Stripe's, which has been moved. */
const moved = () => money.platform({ now });

const invoice = (id: string) => money.stripe.invoices.retrieve(id);
const endNow = (member: StoredMember, key: string) =>
  money.call(cancelSubscription, { ...forMember(member), ...withKey(key), body: { mode: "immediately" } }, moved());

describe("other invoices of a customer whose subscription is canceled immediately", () => {
  it("the invoices are collected as before, and those of the canceled subscription are not", async () => {
    const member = await money.aSubscriber(community);
    const debt = await aDebt(money, member);
    expect(await endNow(member, `end-${member.id}`)).toMatchObject({ status: 200, body: { status: "canceled" } });
    expect(await invoice(debt)).toMatchObject({ status: "open", auto_advance: true });
    await expectNothingOpen(money.table, member);
    await money.control("advance", { days: 5 });
    expect(await invoice(debt)).toMatchObject({ status: "paid" });
    const customer = member.stripe_customer_id ?? "";
    expect((await money.stripe.invoices.list({ customer, status: "open" })).data).toMatchObject([
      { amount_due: 2500, auto_advance: false },
    ]);
  });

  it("the invoices are collected as before after a paid subscription has replaced a free one", async () => {
    const member = await money.aSubscriber({ ...community, tier: community.free });
    const debt = await aDebt(money, member);
    const params = { community_id: community.id };
    const body = { tier_id: community.tier.id, return_url: `${origin}/account` };
    const answer = await money.call(changeOwn, { params, as: { id: member.user.id }, body }, moved());
    await money.complete(answer.body?.url);
    await money.deliverAll();
    expect((await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "")).status).toBe("canceled");
    expect(await invoice(debt)).toMatchObject({ status: "open", auto_advance: true });
    await expectNothingOpen(money.table, member);
  });

  it("an invoice whose collection is stopped again in Stripe stays so, and the cancellation is completed", async () => {
    const member = await money.aSubscriber(community);
    const debt = await aDebt(money, member);
    await money.control("faults", { fail_next: { method: "POST", count: 2, status: 500, after: true } });
    expect(await endNow(member, `stop-${member.id}`)).toMatchObject({ status: 502 });
    await money.control("faults", { fail_next: 0 });
    await money.stripe.invoices.update(debt, { auto_advance: false });
    await money.reconcile(now(0.6));
    await money.reconcile(now(1.2));
    expect(await invoice(debt)).toMatchObject({ status: "open", auto_advance: false });
    await expectNothingOpen(money.table, member);
  });
});
