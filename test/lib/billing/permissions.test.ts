import Stripe from "stripe";
import { beforeAll, describe, expect, it } from "vitest";
import { missingPermissions, type Permission, permissions } from "#lib/billing/permissions.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as uncancelSubscription } from "../../../functions/members/uncancel-subscription.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { handler as ownPaymentHistory } from "../../../functions/membership/payment-history.ts";
import { handler as changeSubscription } from "../../../functions/subscriptions/change.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { handler as createTier } from "../../../functions/tiers/create.ts";
import { fromNow } from "../../support/clock.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
let member: StoredMember;
let smaller: { readonly id: number };
let bigger: { readonly id: number };
beforeAll(async () => {
  community = await money.aPricedCommunity();
  smaller = await money.aPricedTier(community, { name: "Smaller", monthly_price_dollars: 5 });
  bigger = await money.aPricedTier(community, { name: "Bigger", monthly_price_dollars: 90 });
  member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: charge?.id, status: "warning_needs_response" });
});

/** A client with a restricted key. */
async function clientWith(allowed: readonly Permission[]): Promise<Stripe> {
  const response = await fetch(`${money.standIn.url}/_fake/keys`, {
    method: "POST",
    body: JSON.stringify({ permissions: allowed }),
  });
  const { key } = (await response.json()) as { key: string };
  const { hostname: host, port } = new URL(money.standIn.url);
  return new Stripe(key, { host, port, protocol: "http", telemetry: false, maxNetworkRetries: 0 });
}

const address = { name: "A", line1: "B", line2: "", city: "C", state: "", postal_code: "", country: "MX" };

/** The status of each route with a key that has these permissions. */
async function answersWith(allowed: readonly Permission[], names: readonly string[] = Object.keys(routes)) {
  const client = await clientWith(allowed);
  const on = money.platform({ billing: billingOf(async () => client) });
  const statuses: Record<string, number | undefined> = {};
  for (const name of names) {
    const [handler, call] = (await routes[name]?.()) ?? [];
    if (handler && call) statuses[name] = (await money.call(handler, call, on)).status;
  }
  return statuses;
}

const place = () => ({ params: { community_id: community.id } });
type Case = readonly [Parameters<typeof money.call>[0], Parameters<typeof money.call>[1]];
const routes: Readonly<Record<string, () => Case | Promise<Case>>> = {
  history: () => [paymentHistory, forMember(member)],
  ownHistory: () => [ownPaymentHistory, { ...place(), as: member.user }],
  details: () => [subscriptionDetails, forMember(member)],
  checkout: async () => [
    createSession,
    {
      ...place(),
      as: await money.aPerson(),
      body: { tier_id: community.tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
    },
  ],
  portal: () => [createPortalSession, { ...place(), as: member.user, body: { return_url: `${origin}/` } }],
  cancel: () => [cancelSubscription, forMember(member)],
  uncancel: () => [uncancelSubscription, forMember(member)],
  // Another member each time, as five changes in a day are too many.
  change: async () => [
    changeSubscription,
    { ...forMember(await money.aSubscriber(community)), body: { tier_id: smaller.id } },
  ],
  changeOwn: async () => {
    const { user } = await money.aSubscriber(community);
    return [changeOwn, { ...place(), as: user, body: { tier_id: bigger.id } }];
  },
  refund: () => [issueRefund, { ...forMember(member), body: { amount_cents: 1 } }],
  edit: () => [updateMember, { ...forMember(member), body: { member: { shipping_address: address } } }],
  tier: () => [createTier, { ...place(), body: { tier: { name: "Another", monthly_price_dollars: 5 } } }],
};
const reading = ["history", "ownHistory", "details"];

/** Permissions that only the schedule uses. */
const elsewhere: readonly Permission[] = ["events:read"];

describe("restricted keys", () => {
  it("every route succeeds with the permissions of the writing key", async () => {
    expect(Object.values(await answersWith(permissions.write)).filter((status) => (status ?? 500) >= 300)).toEqual([]);
  });

  it("the routes that only read succeed with the permissions of the reading key", async () => {
    expect(await answersWith(permissions.read, reading)).toEqual({ history: 200, ownHistory: 200, details: 200 });
  });

  it.each(permissions.write.filter((one) => !elsewhere.includes(one)))(
    "without the permission %s, some route returns 502 and none returns 500",
    async (left) => {
      const answers = Object.values(await answersWith(permissions.write.filter((one) => one !== left)));
      // Events complete the synchronizations that these requests could not perform.
      await money.deliverAll();
      expect(answers).toContain(502);
      expect(answers).not.toContain(500);
    },
  );

  it.each(permissions.read)("without the permission %s, a route that only reads returns 502", async (left) => {
    const allowed = permissions.read.filter((one) => one !== left);
    // A synchronization needs more permissions than the details.
    await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end: true });
    const answers = Object.values(await answersWith(allowed, reading));
    await money.stripe.subscriptions.update(member.stripe_subscription_id ?? "", { cancel_at_period_end: false });
    await money.deliverAll();
    expect(answers).toContain(502);
  });

  it("a route that only reads leaves the rejection of a subscription to the schedule", async () => {
    const { id: member_id, stripe_customer_id, stripe_subscription_id } = await money.aSubscriber(community);
    const customer = stripe_customer_id ?? "";
    const live = async () => (await money.subscriptionsOf(customer)).filter(({ status }) => status === "active").length;

    // Like the subscription of another checkout that was completed at the same time.
    const { metadata } = await money.stripe.subscriptions.retrieve(stripe_subscription_id ?? "");
    await money.control("subscriptions", { customer, price: community.tier.stripe_price_id });
    const other = (await money.subscriptionsOf(customer)).find(({ id }) => id !== stripe_subscription_id);
    await money.stripe.subscriptions.update(other?.id ?? "", { metadata });
    await money.stripe.subscriptions.update(stripe_subscription_id ?? "", { cancel_at_period_end: true });
    const client = await clientWith(permissions.read);
    const on = money.platform({ billing: billingOf(async () => client) });
    const asked = forMember({ community_id: community.id, id: member_id });
    expect(await money.call(subscriptionDetails, asked, on)).toMatchObject({ status: 200, body: { in_sync: false } });
    expect(await live()).toBe(2);

    await money.reconcile(fromNow({ minutes: 5 }));
    expect(await live()).toBe(1);
  });

  it.each(["write", "read"] as const)(
    "the check of a %s key reports its missing permissions without changing anything",
    async (name) => {
      const before = await money.lastEvent();
      for (const left of permissions[name]) {
        const client = await clientWith(permissions[name].filter((one) => one !== left));
        expect(await missingPermissions(client, permissions[name])).toEqual([left]);
      }
      expect(await money.lastEvent()).toBe(before);
    },
  );
});
