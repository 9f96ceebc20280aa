import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { emptyState, type Kind } from "stripe-stand-in";
import type { Endpoint } from "#lib/http/handler.ts";
import type { Outside } from "#lib/person/outside.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as activateBenefit } from "../../functions/benefits/activate.ts";
import { handler as archiveBenefit } from "../../functions/benefits/archive.ts";
import { handler as assignBenefit } from "../../functions/benefits/assign-to-tiers.ts";
import { handler as createBenefit } from "../../functions/benefits/create.ts";
import { handler as createBrand } from "../../functions/brands/create.ts";
import { handler as createPortalSession } from "../../functions/checkout/create-portal-session.ts";
import { handler as createSession } from "../../functions/checkout/create-session.ts";
import { handler as createCommunity } from "../../functions/communities/create.ts";
import { handler as createDestination } from "../../functions/destinations/create.ts";
import { handler as ping } from "../../functions/destinations/ping.ts";
import { handler as resend } from "../../functions/destinations/resend.ts";
import { handler as resendMany } from "../../functions/destinations/resend-many.ts";
import { handler as rotateSecret } from "../../functions/destinations/rotate-secret.ts";
import { handler as createApiKey } from "../../functions/keys/create.ts";
import { erasing as erasingMe } from "../../functions/me/erase.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as cancelSubscription } from "../../functions/members/cancel-subscription.ts";
import { handler as importMembers } from "../../functions/members/import-batch.ts";
import { handler as issueRefund } from "../../functions/members/issue-refund.ts";
import { handler as refundCharge } from "../../functions/members/refund-charge.ts";
import { handler as uncancelSubscription } from "../../functions/members/uncancel-subscription.ts";
import { handler as cancelOwn } from "../../functions/membership/cancel-subscription.ts";
import { handler as uncancelOwn } from "../../functions/membership/uncancel-subscription.ts";
import { handler as change } from "../../functions/subscriptions/change.ts";
import { handler as changeOwn } from "../../functions/subscriptions/change-own.ts";
import { handler as accept } from "../../functions/team/accept.ts";
import { handler as invite } from "../../functions/team/invite.ts";
import { handler as createTier } from "../../functions/tiers/create.ts";
import { erasing } from "../../functions/users/erase.ts";
import { admin } from "./api.ts";
import type { Call } from "./direct.ts";
import { aBenefit, addressOf, anInvitation, aTier, type GivenCommunity } from "./given.ts";
import { origin } from "./money/people.ts";
import type { LocalMoney, Money } from "./money.ts";

/** A POST route, a function that creates the records for a valid request, and another valid request body. */
export type Post = {
  readonly endpoint: Endpoint;
  readonly given: () => Promise<Call>;
  readonly otherBody: object;
  /** Whether its only effect is a request to a receiver, which is not counted. */
  readonly isOutside?: true;
};

type Subjects = {
  /** A member of the community who pays through Stripe. */
  readonly subscriber?: (() => Promise<StoredMember>) | undefined;
  /** The community of new tiers, of which each has a limited number. Default: a new one. */
  readonly communityOfTiers?: (() => Promise<GivenCommunity>) | undefined;
};

/** All POST routes with a caller. */
export function posts(
  money: Money,
  community: () => GivenCommunity,
  {
    subscriber: aSubscriber = () => money.aSubscriber(community()),
    communityOfTiers = () => money.aPricedCommunity(),
  }: Subjects = {},
): Post[] {
  const inCommunity = () => ({ params: { community_id: community().id } });
  const benefit = async () => ({ params: { id: (await aBenefit(money.table, community())).id } });
  const destinationAt = (path: string) => ({
    event_destination: { url: `https://192.0.2.1${path}`, events: ["*"] },
  });
  const destination = async () => {
    const params = { community_id: (await money.aPricedCommunity()).id };
    return { params: { id: (await money.call(createDestination, { params, body: destinationAt("/a") })).body?.id } };
  };
  /** A delivery with a failed attempt, because its address is refused. */
  const sentDelivery = async () => {
    const { params } = await destination();
    const event = { id: randomUUID(), type: "member.joined", timestamp: new Date().toISOString() };
    const id = Number(params.id);
    const community_id = (await destinations.communityOf(money.table, id)) ?? 0;
    const now = new Date();
    const stored = { id, community_id, enabled_at: now.toISOString() };
    const delivery = await deliveries.add(money.table, stored, { event, isLast: false }, now);
    return { params: { id, delivery_id: delivery.id } };
  };
  const subscriber = async () => {
    const member = await aSubscriber();
    return { member, params: { community_id: community().id, id: member.id } };
  };
  const aRecord = () => ({
    user: { email: `${randomUUID()}@example.com` },
    tier_id: community().tier.id,
    status: "active",
    created_at: "2020-01-01T00:00:00.000Z",
    current_period_start: "2026-11-01T00:00:00.000Z",
    current_period_end: "2026-12-01T00:00:00.000Z",
  });
  // Undefined while the tests of a file are listed.
  const outside: Outside = {
    record: (...given) => money.outside.record(...given),
    accountOf: (...given) => money.outside.accountOf(...given),
    addressOf: (...given) => money.outside.addressOf(...given),
    deleteAccount: (...given) => money.outside.deleteAccount(...given),
  };
  const leaver = async () => {
    const { member } = await subscriber();
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    return member.user.id;
  };
  /** Another tier of the community, which costs more. The same one each time. */
  let other: Promise<number> | undefined;
  const anotherTier = () =>
    (other ??= aTier(money.table, community().id, { monthly_price_dollars: 60, position: 9 }).then(async (tier) => {
      await money.price({ ...community(), tier });
      return tier.id;
    }));
  const ofMember = async () => ({ params: (await subscriber()).params });
  const ofCaller = async () => ({ ...inCommunity(), as: (await subscriber()).member.user });

  return [
    {
      endpoint: createBenefit,
      given: async () => ({ ...inCommunity(), body: { benefit: { name: "Tour", tier_ids: [community().tier.id] } } }),
      otherBody: { benefit: { name: "Dinner" } },
    },
    { endpoint: archiveBenefit, given: benefit, otherBody: { a: 1 } },
    {
      endpoint: activateBenefit,
      async given() {
        const call = await benefit();
        await money.call(archiveBenefit, call);
        return call;
      },
      otherBody: { a: 1 },
    },
    {
      endpoint: assignBenefit,
      given: async () => ({ ...(await benefit()), body: { tier_ids: [community().tier.id] } }),
      otherBody: { tier_ids: [] },
    },
    {
      endpoint: createDestination,
      given: async () => ({ params: { community_id: (await money.aPricedCommunity()).id }, body: destinationAt("/a") }),
      otherBody: destinationAt("/b"),
    },
    { endpoint: rotateSecret, given: destination, otherBody: { overlap_hours: 1 } },
    { endpoint: ping, given: destination, otherBody: { a: 1 }, isOutside: true },
    { endpoint: resend, given: sentDelivery, otherBody: { a: 1 }, isOutside: true },
    {
      endpoint: resendMany,
      async given() {
        const { params } = await sentDelivery();
        return { params: { id: params.id }, body: { delivery_ids: [params.delivery_id] } };
      },
      otherBody: { delivery_ids: [7] },
      isOutside: true,
    },
    {
      endpoint: createBrand,
      given: async () => ({ params: { producer_id: randomUUID() }, body: { brand: { name: "Smoke" } } }),
      otherBody: { brand: { name: "Fire" } },
    },
    {
      endpoint: createCommunity,
      given: async () => ({ body: { community: { name: "Rye", owner_id: community().owner.id } } }),
      otherBody: { community: { name: "Wheat", owner_id: admin.id } },
    },
    {
      endpoint: createTier,
      given: async () => ({
        params: { community_id: (await communityOfTiers()).id },
        body: { tier: { name: "Cask", monthly_price_dollars: 12 } },
      }),
      otherBody: { tier: { name: "Cask", monthly_price_dollars: 13 } },
    },
    {
      endpoint: createApiKey,
      given: async () => ({
        params: { community_id: (await money.aPricedCommunity()).id },
        body: { api_key: { name: "Warehouse" } },
      }),
      otherBody: { api_key: { name: "Webshop" } },
    },
    {
      endpoint: invite,
      given: async () => ({
        params: { community_id: (await money.aPricedCommunity()).id },
        body: { invitation: { email: "lea@example.com", role: "support" } },
      }),
      otherBody: { invitation: { email: "lea@example.com", role: "viewer" } },
    },
    {
      endpoint: accept,
      async given() {
        const as = await money.aPerson();
        const { id } = await anInvitation(money.table, await money.aPricedCommunity(), { email: addressOf(as) });
        return { params: { id }, as };
      },
      otherBody: { a: 1 },
    },
    {
      endpoint: createSession,
      given: async () => ({
        ...inCommunity(),
        as: await money.aPerson(),
        body: { tier_id: community().tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
      }),
      otherBody: { tier_id: 1, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
    },
    {
      endpoint: createPortalSession,
      given: async () => ({
        ...inCommunity(),
        as: (await subscriber()).member.user,
        body: { return_url: `${origin}/back` },
      }),
      otherBody: { return_url: `${origin}/elsewhere` },
    },
    {
      endpoint: importMembers,
      given: async () => ({ ...inCommunity(), body: { members: [aRecord(), aRecord(), {}] } }),
      otherBody: { members: [{}] },
    },
    {
      endpoint: block,
      given: async () => ({ ...(await ofMember()), body: { reason: "Spam" } }),
      otherBody: { reason: "Scam" },
    },
    {
      endpoint: change,
      given: async () => ({ ...(await ofMember()), body: { tier_id: await anotherTier() } }),
      otherBody: { interval: "month" },
    },
    {
      endpoint: changeOwn,
      given: async () => ({ ...(await ofCaller()), body: { tier_id: await anotherTier() } }),
      otherBody: { interval: "month" },
    },
    { endpoint: cancelSubscription, given: ofMember, otherBody: { mode: "immediately" } },
    { endpoint: cancelOwn, given: ofCaller, otherBody: { mode: "immediately" } },
    {
      endpoint: uncancelOwn,
      async given() {
        const call = await ofCaller();
        await money.call(cancelOwn, call);
        return call;
      },
      otherBody: { a: 1 },
    },
    {
      endpoint: uncancelSubscription,
      async given() {
        const call = await ofMember();
        await money.call(cancelSubscription, call);
        return call;
      },
      otherBody: { a: 1 },
    },
    {
      endpoint: issueRefund,
      given: async () => ({ ...(await ofMember()), body: { amount_cents: 700 } }),
      otherBody: { amount_cents: 701 },
    },
    {
      endpoint: refundCharge,
      async given() {
        const { member, params } = await subscriber();
        const { data } = await money.stripe.charges.list({ customer: member.stripe_customer_id ?? "" });
        return { params, body: { charge_id: data[0]?.id } };
      },
      otherBody: { charge_id: "ch_another" },
    },
    {
      endpoint: erasingMe(outside),
      async given() {
        const as = { id: await leaver(), authTime: Math.floor(Date.now() / 1000) };
        return { as, body: { dry_run: false } };
      },
      otherBody: { dry_run: true },
    },
    {
      endpoint: erasing(outside),
      async given() {
        const { member } = await subscriber();
        return { params: { id: member.user.id }, body: { dry_run: false, cancel_subscriptions: true } };
      },
      otherBody: { dry_run: true },
    },
  ];
}

/** Kinds of objects that are internal to Stripe or derived from others. */
const unseen = new Set(["event", "delivery", "replay", "task", "order", "webhook_endpoint"]);

/**
 * Numbers of items and Stripe objects by kind, and of changes of records. The effect of requests is the difference between
 * two tallies. Stored responses do not count.
 */
export async function tally(money: LocalMoney): Promise<Map<string, number>> {
  const total = new Map<string, number>();
  const count = (kind: string, by = 1) => total.set(kind, (total.get(kind) ?? 0) + by);
  const { client, name: TableName } = money.table;
  for (let ExclusiveStartKey: Record<string, unknown> | undefined, isFirst = true; isFirst || ExclusiveStartKey; ) {
    const page = await client.send(
      new ScanCommand({ TableName, ExclusiveStartKey, ConsistentRead: true, ProjectionExpression: "pk, sk, version" }),
    );
    [isFirst, ExclusiveStartKey] = [false, page.LastEvaluatedKey];
    for (const { pk, sk, version } of page.Items ?? []) {
      if (String(pk).startsWith("IDEMPOTENCY#")) continue;
      // Some sort keys begin with a time.
      count(`${String(pk).split("#")[0]} ${/^[A-Z]*/.exec(String(sk))?.[0]}`);
      if (typeof version === "number") count("versions", version);
    }
  }
  money.standIn.act((account) => {
    for (const kind of (Object.keys(emptyState()) as Kind[]).filter((one) => !unseen.has(one)))
      count(`stripe ${kind}`, [...account.rows(kind)].length);
  });
  return total;
}

/** The difference between two tallies. */
export const difference = (before: Map<string, number>, after: Map<string, number>): Record<string, number> =>
  Object.fromEntries(
    [...after].map(([kind, n]): [string, number] => [kind, n - (before.get(kind) ?? 0)]).filter(([, by]) => by !== 0),
  );
