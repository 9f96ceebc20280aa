import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { routes } from "#lib/contract/index.ts";
import type { Route } from "#lib/contract/route.ts";
import type { StoredDestination } from "#lib/store/destinations.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as createBrand } from "../../functions/brands/create.ts";
import { handler as createCommunity } from "../../functions/communities/create.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as issueRefund } from "../../functions/members/issue-refund.ts";
import { handler as change } from "../../functions/subscriptions/change.ts";
import type { Call } from "../../test/support/direct.ts";
import {
  aBenefit,
  aDestination,
  aMember,
  anApiKey,
  anInvitation,
  aTeamMember,
  aTier,
  type GivenCommunity,
} from "../../test/support/given.ts";
import { posts } from "../../test/support/posts.ts";
import type { Shop } from "./shop.ts";

/** The records that requests are about. */
export type Given = {
  readonly community: GivenCommunity;
  /** The community of requests that change a record. */
  readonly spare: GivenCommunity;
  /** The community of new tiers. Default: a new one each time. */
  readonly communityOfTiers?: () => Promise<GivenCommunity>;
  /** A member who pays through Stripe. Default: a new member of `spare` each time. */
  readonly subscriber?: () => Promise<StoredMember>;
  /** A destination with deliveries. Default: a new one. */
  readonly destination?: StoredDestination;
};

/** Creates a community with 20 benefits and more than a page of members, and another one. */
export async function busyCommunities({ money }: Shop): Promise<Given> {
  const community = await money.aPricedCommunity();
  for (let n = 0; n < 20; n++) await aBenefit(money.table, community, { position: n, tier_ids: [community.tier.id] });
  for (let n = 0; n < 30; n++) await aMember(money.table, community);
  return { community, spare: await money.aPricedCommunity() };
}

/** Returns by route id a function that builds a successful request, for each route that uses the table. */
export async function requestsOf(
  shop: Shop,
  { community, spare, communityOfTiers, destination, ...given }: Given,
): Promise<Record<string, () => Promise<Call>>> {
  const { money } = shop;
  const { id, tier } = community;
  const subscriber = given.subscriber ?? (() => money.aSubscriber(spare));
  const member = await (given.subscriber ?? (() => money.aSubscriber(community)))();
  const within = async () => ({ params: { community_id: id } });
  const ofMember = async () => ({ params: { community_id: id, id: member.id } });
  const benefit = async () => ({ params: { id: (await aBenefit(money.table, spare)).id } });
  /** A person in the team of a new community, which has room. */
  const teamMember = async () => {
    const { id: community_id } = await money.aPricedCommunity();
    return { params: { community_id, user_id: (await aTeamMember(money.table, { id: community_id })).user_id } };
  };
  const producer_id = randomUUID();
  const brand = async () => {
    const { body } = await money.call(createBrand, { params: { producer_id }, body: { brand: { name: "Smoke" } } });
    return { params: { producer_id, id: body?.id } };
  };
  const shownBrand = await brand();
  for (let n = 0; n < 20; n++) await brand();
  const shownBenefit = await benefit();
  const shownDestination = { params: { id: (destination ?? (await aDestination(money.table, community))).id } };
  const aNewCommunity = async () => {
    const body = { community: { name: "Rye", owner_id: community.owner.id } };
    return { params: { id: (await money.call(createCommunity, { body })).body?.id } };
  };

  const allPosts = posts(money, () => spare, { subscriber, communityOfTiers });
  /** A member of the spare community whose tier will change. */
  const changing = async () => {
    const post = allPosts.find(({ endpoint }) => endpoint === change);
    const call = await post?.given();
    if (!call) throw new Error("There is no request that schedules a change");
    await money.call(change, call);
    return { community_id: spare.id, id: Number(call.params?.id) };
  };

  return {
    DiscoveryExplore: async () => ({}),
    MembersList: within,
    MembersShow: ofMember,
    MembersUpdate: async () => ({ ...(await ofMember()), body: { member: { metadata: { seat: randomUUID() } } } }),
    MembersActivity: ofMember,
    MembersPaymentHistory: ofMember,
    MembersSubscriptionDetails: ofMember,
    async MembersUnblock() {
      const blocked = { params: { community_id: spare.id, id: (await aMember(money.table, spare)).id } };
      await money.call(block, { ...blocked, body: {} });
      return blocked;
    },
    SubscriptionsDropScheduledChange: async () => ({ params: await changing() }),
    async SubscriptionsDropOwnScheduledChange() {
      const { community_id, id: memberId } = await changing();
      const changed = await members.find(money.table, community_id, memberId);
      return { params: { community_id }, as: changed?.user };
    },
    MeShow: async () => ({ as: member.user }),
    MeData: async () => ({ as: member.user }),
    UsersList: async () => ({ query: `email=${encodeURIComponent(member.user.email)}` }),
    UsersData: async () => ({ params: { id: member.user.id } }),
    MembershipShow: async () => ({ ...(await within()), as: member.user }),
    MembershipPaymentHistory: async () => ({ ...(await within()), as: member.user }),
    CommunitiesStats: within,
    CommunitiesSeries: async () => ({ ...(await within()), query: "metric=mrr&interval=week" }),
    CommunitiesList: async () => ({}),
    CommunitiesShow: async () => ({ params: { id } }),
    CommunitiesActivity: async () => ({ params: { id } }),
    CommunitiesTransactions: async () => ({ params: { community_id: id } }),
    CommunitiesMovements: within,
    CommunitiesEvents: async () => ({ params: { community_id: id } }),
    CommunitiesUpdate: async () => ({ ...(await aNewCommunity()), body: { community: { name: "Wheat" } } }),
    TiersList: within,
    TiersShow: async () => ({ params: { id: tier.id } }),
    TiersUpdate: async () => ({ params: { id: tier.id }, body: { tier: { name: `Cask ${randomUUID()}` } } }),
    TiersRemove: async () => ({ params: { id: (await aTier(money.table, spare.id)).id } }),
    async WebhooksStripe() {
      const params = { community_id: spare.id, id: (await subscriber()).id };
      return (await refundWithEvent(shop, params)).event;
    },
    BrandsList: async () => ({ params: { producer_id } }),
    BrandsShow: async () => shownBrand,
    BrandsActivity: async () => shownBrand,
    BrandsUpdate: async () => ({ ...shownBrand, body: { brand: { name: `Fire ${randomUUID()}` } } }),
    BrandsRemove: brand,
    DestinationsList: within,
    DestinationsShow: async () => shownDestination,
    DestinationsUpdate: async () => ({
      ...shownDestination,
      body: { event_destination: { description: randomUUID() } },
    }),
    DestinationsRemove: async () => ({
      params: { id: (await aDestination(money.table, await money.aPricedCommunity())).id },
    }),
    DestinationsDeliveries: async () => shownDestination,
    KeysList: within,
    KeysRemove: async () => ({
      params: { id: (await anApiKey(money.table, await money.aPricedCommunity())).id },
    }),
    TeamList: within,
    TeamListInvitations: within,
    TeamUpdate: async () => ({ ...(await teamMember()), body: { team_member: { role: "manager" } } }),
    TeamRemove: teamMember,
    TeamRemoveInvitation: async () => ({
      params: { id: (await anInvitation(money.table, await money.aPricedCommunity())).id },
    }),
    BenefitsShow: async () => shownBenefit,
    BenefitsUpdate: async () => ({ ...shownBenefit, body: { benefit: { name: `Tour ${randomUUID()}` } } }),
    BenefitsRemove: benefit,
    BenefitsList: within,
    ...Object.fromEntries(allPosts.map((post) => [idOf(post.endpoint.route), post.given])),
    MeErase: async () => {
      const as = { id: member.user.id, authTime: Math.floor(Date.now() / 1000) };
      return { as, body: { dry_run: true } };
    },
    UsersErase: async () => ({ params: { id: member.user.id }, body: { dry_run: true } }),
  };
}

const idOf = ({ method, path }: Route): string =>
  routes.find((route) => route.method === method && route.path === path)?.id ?? "";

/** Refunds a dollar to a member. Returns the measurement and the event that Stripe sends. */
export async function refundWithEvent({ money, measure }: Shop, params: { community_id: number; id: number }) {
  const last = await money.lastEvent();
  const taken = await measure(issueRefund, { params, body: { amount_cents: 100 } });
  const raw = JSON.stringify((await money.eventsSince(last)).find(({ type }) => type === "refund.created"));
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret: "whsec_local" });
  return { taken, event: { raw, headers: { "stripe-signature": signature } } };
}
