import { describe, expect, it } from "vitest";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { fromNow } from "../../support/clock.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const archiveTier = ({ tier }: GivenCommunity) =>
  money.call(updateTier, { params: { id: tier.id }, body: { tier: { status: "archived" } } });
const archiveCommunity = ({ id }: GivenCommunity) =>
  money.call(updateCommunity, { params: { id }, body: { community: { status: "archived" } } });

const ways = [
  ["a tier", archiveTier],
  ["a community", archiveCommunity],
] as const;

describe("archiving a tier or community", () => {
  it.each(ways)("archiving %s expires its open checkout sessions and no others", async (_, archive) => {
    const [community, other] = [await money.aPricedCommunity(), await money.aPricedCommunity()];
    const open = async (place: GivenCommunity) =>
      String((await money.openCheckout(place, await money.aPerson())).body?.id);
    const sessions = [await open(community), await open(community), await open(other)];
    expect((await archive(community)).status).toBe(200);
    await money.reconcile(fromNow({ minutes: 5 }));
    const statuses = sessions.map(async (id) => (await money.stripe.checkout.sessions.retrieve(id)).status);
    expect(await Promise.all(statuses)).toEqual(["expired", "expired", "open"]);
    expect((await archive(community)).status).toBe(200);
  });

  it.each(ways)(
    "a subscription from a checkout that was completed before %s was archived is kept",
    async (_, archive) => {
      const community = await money.aPricedCommunity();
      const { body } = await money.openCheckout(community, await money.aPerson());
      await money.complete(body?.url);
      await archive(community);
      await money.deliverAll();
      const { customer } = await money.stripe.checkout.sessions.retrieve(String(body?.id));
      const [subscription] = await money.subscriptionsOf(customer as string);
      expect(subscription?.status).toBe("active");
    },
  );

  it.each(ways)("members keep their subscription after %s is archived", async (_, archive) => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await archive(community);
    await money.reconcile(fromNow({ minutes: 5 }));
    await money.stripe.customers.update(member.stripe_customer_id ?? "", { description: "Still here" });
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active" });
  });

  it.each(ways)(
    "a subscription from a checkout that is completed after %s was archived is canceled and refunded",
    async (_, archive) => {
      const community = await money.aPricedCommunity();
      const { body } = await money.openCheckout(community, await money.aPerson());
      await archive(community);
      // Must be the last test, because it moves Stripe's clock ahead.
      await money.control("advance", { days: 0.01 });
      await money.complete(body?.url);
      await money.deliverAll();
      const { customer } = await money.stripe.checkout.sessions.retrieve(String(body?.id));
      const [charge] = await money.chargesOf(customer as string);
      const [subscription] = await money.subscriptionsOf(customer as string);
      expect(subscription?.status).toBe("canceled");
      expect(charge?.amount_refunded).toBe(charge?.amount);
    },
  );
});
