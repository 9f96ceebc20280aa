import { describe, expect, it } from "vitest";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as removeTier } from "../../../functions/tiers/remove.ts";
import { aTier } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

describe("a tier that a change is scheduled to", () => {
  it("a tier cannot be deleted once a change to it is scheduled, by Odis or in Stripe", async () => {
    const remove = (id: number) => money.call(removeTier, { params: { community_id: community.id, id, tier_id: id } });
    const priced = async () => {
      const tier = await aTier(money.table, community.id, { monthly_price_dollars: 7, position: 4 });
      return (await money.price({ ...community, tier })).tier;
    };
    const [own, planned] = [await priced(), await priced()];
    const request = { ...forMember(await money.aSubscriber(community)), body: { tier_id: own.id } };
    expect(await money.call(changeSubscription, request)).toMatchObject({ status: 200 });
    expect(await remove(own.id)).toMatchObject({ status: 409, body: { code: "tier_in_use" } });
    const member = await money.aSubscriber(community);
    await money.control(`subscriptions/${member.stripe_subscription_id}`, {
      schedule: { phases: [{ price: planned.stripe_price_id, starts_in_days: 20 }] },
    });
    await money.deliverAll();
    expect(await remove(planned.id)).toMatchObject({ status: 409, body: { code: "tier_in_use" } });
  });
});
