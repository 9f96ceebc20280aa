import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(async () => {
  const big = await money.aPricedCommunity({ tier: { monthly_price_dollars: 25 } });
  return { ...big, small: await money.aPricedTier(big, { monthly_price_dollars: 5 }) };
});

const subscriptionOf = ({ stripe_subscription_id: id }: StoredMember) =>
  money.stripe.subscriptions.retrieve(id ?? "", { expand: ["schedule"] });

/** What the owner has set up in Stripe for the tax of a subscription. */
async function taxOf(member: StoredMember) {
  const { automatic_tax, default_tax_rates, items } = await subscriptionOf(member);
  const idsOf = (rates: readonly { id: string }[] | null | undefined) => rates?.map(({ id }) => id);
  const { enabled, liability } = automatic_tax;
  return {
    automatic_tax: { enabled, liability },
    default_tax_rates: idsOf(default_tax_rates),
    tax_rates: idsOf(items.data[0]?.tax_rates),
  };
}

const untaxed = { automatic_tax: { enabled: false, liability: null }, default_tax_rates: [], tax_rates: [] };

type Tax = {
  readonly automatic_tax?: { enabled: true; liability?: { type: "account" | "self"; account?: string } };
  readonly default_tax_rates?: string[];
  readonly tax_rates?: string[];
};

async function aTaxedSubscriber({ tax_rates, ...tax }: Tax) {
  const member = await money.aSubscriber(community);
  const { id, items } = await subscriptionOf(member);
  const [item] = items.data;
  await money.stripe.subscriptions.update(id, {
    ...tax,
    ...(tax_rates && { items: [{ id: item?.id ?? "", tax_rates }] }),
  });
  await money.deliverAll();
  return member;
}

const scheduleSmallTier = async ({ user }: StoredMember) =>
  expect(
    await money.call(changeOwn, {
      params: { community_id: community.id },
      as: { id: user.id },
      body: { tier_id: community.small.id },
    }),
  ).toMatchObject({ body: { status: "scheduled" } });

const account = { type: "account", account: "acct_1" } as const;

describe("the tax of a subscription with a scheduled change", () => {
  it.each<[string, Tax, object]>([
    ["default tax rates", { default_tax_rates: ["txr_vat", "txr_city"] }, {}],
    ["tax rates of its item", { tax_rates: ["txr_item"] }, {}],
    [
      "automatic tax",
      { automatic_tax: { enabled: true } },
      { automatic_tax: { enabled: true, liability: { type: "self" } } },
    ],
    ["automatic tax of another account", { automatic_tax: { enabled: true, liability: account } }, {}],
  ])(
    "a subscription keeps its %s when a change is scheduled, when it is made, and afterwards",
    async (_, tax, over) => {
      const member = await aTaxedSubscriber(tax);
      const taxed = { ...untaxed, ...tax, ...over };
      expect(await taxOf(member)).toEqual(taxed);
      await scheduleSmallTier(member);
      expect(await taxOf(member)).toEqual(taxed);
      for (const days of [31, 31]) {
        await money.control("advance", { days });
        await money.deliverAll();
        expect(await taxOf(member)).toEqual(taxed);
      }
      expect(await money.memberNow(member)).toMatchObject({ tier_id: community.small.id, scheduled_change: null });
    },
  );

  it("the phases of a subscription without tax say nothing about tax", async () => {
    const member = await aTaxedSubscriber({});
    await scheduleSmallTier(member);
    const { schedule } = await subscriptionOf(member);
    expect(schedule).toMatchObject({ phases: [{ default_tax_rates: [] }, { default_tax_rates: [] }] });
    for (const phase of typeof schedule === "object" ? (schedule?.phases ?? []) : [])
      expect(phase).not.toHaveProperty("automatic_tax");
  });
});
