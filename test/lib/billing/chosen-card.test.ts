import { act } from "stripe-stand-in/core/portal";
import { describe, expect, it } from "vitest";
import { idOf } from "#lib/billing/snapshot.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(async () => {
  const big = await money.aPricedCommunity({ tier: { monthly_price_dollars: 25 } });
  return { ...big, small: await money.aPricedTier(big, { monthly_price_dollars: 5 }) };
});

const customerOf = ({ stripe_customer_id: id }: StoredMember) => id ?? "";
const subscriptionIdOf = ({ stripe_subscription_id: id }: StoredMember) => id ?? "";

/** Chooses a new card in the portal. Returns its id. */
async function choose(member: StoredMember): Promise<string> {
  const at = { params: { community_id: community.id }, as: member.user };
  const { body } = await money.call(createPortalSession, { ...at, body: { return_url: `${origin}/` } });
  const session = String(body?.url).split("/").at(-1) ?? "";
  money.standIn.act((account) => act(account, session, { action: "card", card: "visa" }));
  const customer = await money.stripe.customers.retrieve(customerOf(member));
  await money.deliverAll();
  return customer.deleted ? "" : (idOf(customer.invoice_settings.default_payment_method) ?? "");
}

async function renew(): Promise<void> {
  await money.control("advance", { days: 31 });
  await money.deliverAll();
}

const lastCharge = async (member: StoredMember) =>
  (await money.stripe.charges.list({ customer: customerOf(member), limit: 1 })).data[0];

const schedule = (member: StoredMember) =>
  money.call(changeOwn, {
    params: { community_id: community.id },
    as: { id: member.user.id },
    body: { tier_id: community.small.id },
  });

describe("the card that pays a renewal", () => {
  // Stripe does not document which for the portal's first page.
  it.each(["customer", "subscriptions"] as const)(
    "is the card that the member has chosen in the portal (%s)",
    async (portal_card) => {
      await money.control("faults", { portal_card });
      const member = await money.aSubscriber(community);
      const card = await choose(member);
      await renew();
      expect(await lastCharge(member)).toMatchObject({ status: "succeeded", payment_method: card });
    },
  );

  it("is the card chosen in the portal, also after a change was scheduled", async () => {
    await money.control("faults", { portal_card: "customer" });
    const member = await money.aSubscriber(community);
    await schedule(member);
    const card = await choose(member);
    await renew();
    expect(await lastCharge(member)).toMatchObject({ amount: 500, payment_method: card });
  });

  it("is a card that the subscription got after the choice in the portal", async () => {
    const member = await money.aSubscriber(community);
    await choose(member);
    const { id } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer: customerOf(member) });
    await money.stripe.subscriptions.update(subscriptionIdOf(member), { default_payment_method: id });
    await money.deliverAll();
    await renew();
    expect(await lastCharge(member)).toMatchObject({ payment_method: id });
  });

  it("is the customer's card once the subscription's own was removed, also after a change was scheduled", async () => {
    const member = await money.aSubscriber(community);
    await schedule(member);
    const { id } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer: customerOf(member) });
    await money.stripe.customers.update(customerOf(member), { invoice_settings: { default_payment_method: id } });
    money.standIn.act((account) => {
      const subscription = account.get("subscription", subscriptionIdOf(member));
      if (subscription) account.put("subscription", { ...subscription, default_payment_method: null });
    });
    await money.deliverAll();
    await renew();
    expect(await lastCharge(member)).toMatchObject({ amount: 500, payment_method: id });
  });
});
