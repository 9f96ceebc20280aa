import { expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(async () => {
  const big = await money.aPricedCommunity({ tier: { monthly_price_dollars: 25 } });
  return { ...big, small: await money.aPricedTier(big, { monthly_price_dollars: 5 }) };
});

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) => money.stripe.subscriptions.retrieve(id ?? "");

const renew = async (): Promise<void> => {
  await money.control("advance", { days: 31 });
  await money.deliverAll();
};

// Stripe does not document which card a schedule has.
it.each(["left_out", "copied"] as const)(
  "the renewal after a scheduled change charges the member's card, also one that was replaced since (%s)",
  async (schedule_card) => {
    await money.control("faults", { schedule_card });
    const members = [await money.aSubscriber(community), await money.aSubscriber(community)] as const;
    for (const member of members) {
      const at = { params: { community_id: community.id }, as: { id: member.user.id } };
      expect(await money.call(changeOwn, { ...at, body: { tier_id: community.small.id } })).toMatchObject({
        body: { status: "scheduled" },
      });
    }
    const [same, replaced] = members;
    const { default_payment_method: card } = await subscriptionOf(same);
    const customer = replaced.stripe_customer_id ?? "";
    const { id: other } = await money.stripe.paymentMethods.attach("pm_card_visa", { customer });
    await money.stripe.subscriptions.update(replaced.stripe_subscription_id ?? "", { default_payment_method: other });
    await money.deliverAll();

    await renew();
    for (const [member, method] of [
      [same, card],
      [replaced, other],
    ] as const) {
      expect((await subscriptionOf(member)).default_payment_method).toBe(method);
      expect(await money.memberNow(member)).toMatchObject({
        status: "active",
        tier_id: community.small.id,
        lifetime_spend_cents: 3000,
      });
    }
  },
);
