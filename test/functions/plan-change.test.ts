import type { LocalStripe } from "stripe-stand-in/server";
import { beforeAll, expect, it } from "vitest";
import { createSession } from "#lib/contract/checkout.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import * as tiers from "#lib/contract/tiers.ts";
import type { Tier } from "#lib/domain/tier.ts";
import { find } from "#lib/store/members/members.ts";
import { admin, startApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { stripeAt } from "../support/money/stripe.ts";

const api = startApi();
const { call } = api;

let community: GivenCommunity;
const inCommunity = () => ({ params: { community_id: community.id } });
beforeAll(async () => {
  community = await aCommunity(api.table);
});

async function aPricedTier(): Promise<Tier> {
  const body = { tier: { name: "Cask", monthly_price_dollars: 25 } };
  return (await call(tiers.create, { as: admin, ...inCommunity(), body })).body;
}

/** Joins through checkout. */
async function join(as: { readonly id: number }, tier_id: number) {
  const back = { success_url: `${api.origin}/yes`, cancel_url: `${api.origin}/no` };
  const { body } = await call(createSession, { as, ...inCommunity(), body: { tier_id, ...back } });
  await fetch(`${body.url}/complete`, { method: "POST", body: "{}" });
  await eventually(async () => {
    expect((await call(membership.show, { as, ...inCommunity() })).body.is_member).toBe(true);
  });
  const { body: list } = await call(members.list, { as: admin, ...inCommunity() });
  const id = list.data.find(({ user }) => user.id === as.id)?.id ?? 0;
  const stored = await find(api.table, community.id, id);
  return { params: { community_id: community.id, id }, subscription: stored?.stripe_subscription_id ?? "" };
}

it("a tier cannot be deleted once a plan change at Stripe has moved a member to the tier", async () => {
  const [first, second] = [await aPricedTier(), await aPricedTier()];
  const { subscription, params } = await join({ id: 5001 }, first.id);
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
