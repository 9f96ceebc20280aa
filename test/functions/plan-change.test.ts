import type { LocalStripe } from "stripe-stand-in/server";
import { expect, it } from "vitest";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { find } from "#lib/store/members/members.ts";
import { admin, startApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { aCommunity } from "../support/given.ts";
import { join } from "../support/joining.ts";
import { stripeAt } from "../support/money/stripe.ts";

const api = startApi();
const { call } = api;

it("a tier cannot be deleted once a plan change at Stripe has moved a member to the tier", async () => {
  const community_id = (await aCommunity(api.table)).id;
  const body = { tier: { name: "Cask", monthly_price_dollars: 25 } };
  const aPricedTier = async () => (await call(tiers.create, { as: admin, params: { community_id }, body })).body;
  const [first, second] = [await aPricedTier(), await aPricedTier()];
  const params = await join(api, { id: 5001 }, { community_id, tier_id: first.id });
  const subscription = (await find(api.table, community_id, params.id))?.stripe_subscription_id ?? "";
  const { stripe } = stripeAt(api.stack.stripe as LocalStripe);
  const [item] = (await stripe.subscriptions.retrieve(subscription)).items.data;
  const items = [{ id: item?.id ?? "", price: second.stripe_price_id ?? "" }];
  await stripe.subscriptions.update(subscription, { items, proration_behavior: "none" });
  await eventually(async () => {
    expect((await call(members.show, { as: admin, params })).body.membership_tier.id).toBe(second.id);
  });
  const deleted = await call(tiers.remove, { as: admin, params: { id: second.id } });
  expect(deleted).toMatchObject({ status: 409, body: { code: "tier_in_use" } });
  expect((await call(members.show, { as: admin, params })).status).toBe(200);
});
