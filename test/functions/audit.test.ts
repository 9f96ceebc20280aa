import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import * as destinations from "#lib/contract/destinations.ts";
import * as members from "#lib/contract/members.ts";
import * as subscriptions from "#lib/contract/subscriptions.ts";
import * as tiers from "#lib/contract/tiers.ts";
import * as brands from "#lib/store/brands.ts";
import { type Key, keys, kindOf } from "#lib/store/keys.ts";
import { addProfile } from "../../tools/local/users.ts";
import { type As, admin, apiRoutes, pathOf, readAnswer, startApi } from "../support/api.ts";
import {
  aBenefit,
  aCommunity,
  aDestination,
  aMember,
  anApiKey,
  anInvitation,
  aTeamMember,
  aTier,
  type GivenCommunity,
  givenBy,
} from "../support/given.ts";
import { join } from "../support/joining.ts";

const api = startApi();

type Request = {
  readonly params?: Record<string, string | number>;
  readonly body?: object;
  readonly as?: As;
  /** The partitions that get one entry each. Ids of new records are in the response. */
  readonly lists: (answer: { readonly id?: unknown }) => readonly string[];
};

const ofMember = (id: unknown) => keys.activity(Number(id), 0).pk;
const ofCommunity = (id: unknown) => keys.communityActivity(Number(id), 0).pk;
const ofBrand = (id: unknown) => keys.brandActivity(String(id), 0).pk;

let community: GivenCommunity;
let paying: { readonly community_id: number; readonly tier_id: number };
beforeAll(async () => {
  community = await aCommunity(api.table);
  const params = { community_id: community.id };
  const tier = { name: "Cask", monthly_price_dollars: 25, yearly_price_dollars: 250 };
  const { body } = await api.call(tiers.create, { as: community.owner, params, body: { tier } });
  paying = { ...params, tier_id: body.id };
});

let nextPerson = 9001;
const aSubscriber = () => join(api, { id: nextPerson++ }, paying);

/** A request about a member who pays, which leaves an entry in the member's activity. */
async function aboutSubscriber(body?: object): Promise<Request> {
  const params = await aSubscriber();
  return { params, ...(body && { body }), lists: () => [ofMember(params.id)] };
}

/** A request about a member whose interval will change. */
async function aboutChanging() {
  const params = await aSubscriber();
  await api.call(subscriptions.change, { as: community.owner, params, body: { interval: "year" } });
  return { params, lists: () => [ofMember(params.id)] };
}

async function aboutMember(body?: object): Promise<Request & { params: { community_id: number; id: number } }> {
  const { id } = await aMember(api.table, community);
  return { params: { community_id: community.id, id }, ...(body && { body }), lists: () => [ofMember(id)] };
}

/** A request of a member who was imported, about their own membership. */
async function byMember(): Promise<Request> {
  const without = { stripe_customer_id: null, stripe_subscription_id: null };
  const current_period_end = new Date(Date.now() + 86_400_000).toISOString();
  const { id, user } = await aMember(api.table, community, { ...without, current_period_end });
  await addProfile(api.table, user);
  return { as: user, params: { community_id: community.id }, body: {}, lists: () => [ofMember(id)] };
}

/** The erasure of somebody whose membership has ended, by an administrator or by themselves. */
async function ofPerson(isOwn = false): Promise<Request> {
  const { id, user } = await aMember(api.table, community, { status: "canceled" });
  await addProfile(api.table, user);
  const by = isOwn ? { as: { id: user.id, authTime: Math.floor(Date.now() / 1000) } } : { params: { id: user.id } };
  return { ...by, body: { dry_run: false }, lists: () => [ofMember(id)] };
}

const inCommunity = (id: number, body?: object): Request => ({
  params: { id },
  ...(body && { body }),
  lists: () => [ofCommunity(community.id)],
});

const aboutBenefit = async (body?: object) => inCommunity((await aBenefit(api.table, community)).id, body);
const aboutDestination = async (body?: object) => {
  const place = await aCommunity(api.table);
  const { id } = await aDestination(api.table, place);
  return { ...inCommunity(id, body), lists: () => [ofCommunity(place.id)] };
};
const aboutTeamMember = async (body?: object): Promise<Request> => ({
  params: { community_id: community.id, user_id: (await aTeamMember(api.table, community)).user_id },
  ...(body && { body }),
  lists: () => [ofCommunity(community.id)],
});
const aboutTier = async (body?: object) => inCommunity((await aTier(api.table, community.id)).id, body);

async function aboutBrand(body?: object): Promise<Request> {
  const producer_id = randomUUID();
  const { id } = await brands.add(api.table, { name: "Smoke", producer_ids: [producer_id] }, givenBy());
  return { params: { producer_id, id }, ...(body && { body }), lists: () => [ofBrand(id)] };
}

/** A request to each route that writes and leaves an entry for each change, by the id of the route. */
const audited: Readonly<Record<string, () => Promise<Request>>> = {
  CommunitiesCreate: async () => ({
    body: { community: { name: "Rye", owner_id: community.owner.id } },
    lists: ({ id }) => [ofCommunity(id)],
  }),
  CommunitiesUpdate: async () => inCommunity(community.id, { community: { name: "Rye Circle" } }),
  TiersCreate: async () => ({
    params: { community_id: community.id },
    body: { tier: { name: "Copita", monthly_price_dollars: 5 } },
    lists: () => [ofCommunity(community.id)],
  }),
  TiersUpdate: () => aboutTier({ tier: { badge: "Amigo" } }),
  TiersRemove: () => aboutTier(),
  BenefitsCreate: async () => ({
    params: { community_id: community.id },
    body: { benefit: { name: "Tour" } },
    lists: () => [ofCommunity(community.id)],
  }),
  BenefitsUpdate: () => aboutBenefit({ benefit: { name: "Dinner", tier_ids: [community.tier.id] } }),
  BenefitsAssignToTiers: () => aboutBenefit({ tier_ids: [community.tier.id] }),
  BenefitsArchive: () => aboutBenefit(),
  BenefitsActivate: async () => {
    const { id } = await aBenefit(api.table, community);
    await write("BenefitsArchive", inCommunity(id));
    return inCommunity(id);
  },
  BenefitsRemove: () => aboutBenefit(),
  DestinationsCreate: async () => ({
    params: { community_id: community.id },
    body: { event_destination: { url: "https://receiver.example/", events: ["*"] } },
    lists: () => [ofCommunity(community.id)],
  }),
  DestinationsUpdate: () => aboutDestination({ event_destination: { status: "disabled" } }),
  DestinationsRotateSecret: () => aboutDestination(),
  DestinationsRemove: () => aboutDestination(),
  KeysCreate: async () => ({
    params: { community_id: community.id },
    body: { api_key: { name: "Warehouse" } },
    lists: () => [ofCommunity(community.id)],
  }),
  KeysRemove: async () => inCommunity((await anApiKey(api.table, community)).id),
  TeamInvite: async () => ({
    params: { community_id: community.id },
    body: { invitation: { email: "lea@example.com", role: "support" } },
    lists: () => [ofCommunity(community.id)],
  }),
  TeamRemoveInvitation: async () => inCommunity((await anInvitation(api.table, community)).id),
  TeamAccept: async () => {
    const as = { id: nextPerson++ };
    const { id } = await anInvitation(api.table, community, { email: await api.verifiedAddressOf(as) });
    return { as, ...inCommunity(id) };
  },
  TeamUpdate: () => aboutTeamMember({ team_member: { role: "viewer" } }),
  TeamRemove: () => aboutTeamMember(),
  BrandsCreate: async () => ({
    params: { producer_id: randomUUID() },
    body: { brand: { name: "Smoke" } },
    lists: ({ id }) => [ofBrand(id)],
  }),
  BrandsUpdate: () => aboutBrand({ brand: { name: "Stone", producer_ids: [randomUUID()] } }),
  BrandsRemove: () => aboutBrand(),
  MembersUpdate: () => aboutMember({ member: { metadata: { notes: "Prefers joven", shelf: 7 } } }),
  MembersBlock: () => aboutMember({ reason: "Spam" }),
  MembersUnblock: async () => {
    const request = await aboutMember();
    await write("MembersBlock", request);
    return request;
  },
  MembersCancelSubscription: () => aboutSubscriber({ mode: "immediately" }),
  MembersUncancelSubscription: async () => {
    const request = await aboutSubscriber();
    await write("MembersCancelSubscription", request);
    return request;
  },
  MembershipCancelSubscription: () => byMember(),
  MembershipUncancelSubscription: async () => {
    const request = await byMember();
    await write("MembershipCancelSubscription", request);
    return request;
  },
  SubscriptionsChange: () => aboutSubscriber({ interval: "year" }),
  SubscriptionsChangeOwn: async () => {
    const params = await aSubscriber();
    const as = { id: nextPerson - 1 };
    const own = { as, params: { community_id: params.community_id } };
    return { ...own, body: { interval: "year" }, lists: () => [ofMember(params.id)] };
  },
  SubscriptionsDropScheduledChange: () => aboutChanging(),
  SubscriptionsDropOwnScheduledChange: async () => {
    const { params, lists } = await aboutChanging();
    return { as: { id: nextPerson - 1 }, params: { community_id: params.community_id }, lists };
  },
  MembersIssueRefund: () => aboutSubscriber({ amount_cents: 500 }),
  MembersRefundCharge: async () => {
    const params = await aSubscriber();
    const { body } = await api.call(members.paymentHistory, { as: community.owner, params });
    const charge_id = body.data[0]?.charges[0]?.id;
    return { params, body: { charge_id }, lists: () => [ofMember(params.id)] };
  },
  UsersErase: () => ofPerson(),
  MeErase: () => ofPerson(true),
  // The import is in the activity of the community, and each member's own begins with it.
  MembersImportBatch: async () => {
    const id = 7001;
    const at = "2019-05-01T00:00:00.000Z";
    const member = { id, user: { email: "old@example.com" }, tier_id: community.tier.id, status: "active" };
    return {
      params: { community_id: community.id },
      body: { members: [{ ...member, created_at: at, current_period_start: at, current_period_end: at }] },
      lists: () => [ofCommunity(community.id), ofMember(id)],
    };
  },
};

/** Reasons why routes that write leave no entry, with a request where possible. */
const unaudited: Readonly<Record<string, { readonly reason: string; readonly request?: () => Promise<Request> }>> = {
  CheckoutCreateSession: {
    reason: "It changes no record. A member's activity begins with `joined`, once they have paid.",
    request: async () => ({
      as: { id: nextPerson++ },
      params: { community_id: community.id },
      body: { tier_id: paying.tier_id, success_url: `${api.origin}/yes`, cancel_url: `${api.origin}/no` },
      lists: () => [],
    }),
  },
  CheckoutCreatePortalSession: {
    reason: "It changes no record. What people do in Stripe's portal is told by Stripe, and has entries then.",
    request: async () => {
      const as = { id: nextPerson++ };
      await join(api, as, paying);
      return { as, params: { community_id: community.id }, body: { return_url: `${api.origin}/a` }, lists: () => [] };
    },
  },
  MembersSubscriptionDetails: {
    reason: "It reads. Where it repairs our copy, the changes have entries whose actor is Stripe.",
    request: async () => ({ params: await aSubscriber(), lists: () => [] }),
  },
  DestinationsPing: {
    reason: "It changes no record.",
    async request() {
      const params = { community_id: (await aCommunity(api.table)).id };
      const body = { event_destination: { url: "https://192.0.2.1/", events: ["*"] } };
      const created = await api.call(destinations.create, { as: admin, params, body });
      return { params: { id: created.body.id }, lists: () => [] };
    },
  },
  DestinationsResend: {
    reason: "It adds an attempt to the delivery, which shows it.",
  },
  DestinationsResendMany: {
    reason: "It adds attempts to deliveries, which show them.",
  },
  WebhooksStripe: {
    reason: "Each change that an event brings has an entry, and most events bring none (the simulation counts them).",
  },
};

const routeOf = (id: string) => {
  const route = apiRoutes.find((one) => one.id === id);
  if (!route) throw new Error(`There is no route ${id}`);
  return route;
};

/** Makes a request, which must succeed. @returns its id and response */
async function write(routeId: string, { params = {}, body, as = admin }: Request) {
  const route = routeOf(routeId);
  const response = await api.send(pathOf(route, params), {
    method: route.method,
    headers: { authorization: `Bearer ${await api.tokenOf(as)}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers, body: answer } = await readAnswer(response);
  expect({ routeId, status, answer }).toEqual({ routeId, status: route.status ?? 200, answer });
  return { requestId: headers.get("x-request-id"), answer: answer as { id?: unknown } };
}

/** The partition keys of all audit entries of a request. */
async function entriesOf(requestId: string | null): Promise<string[]> {
  const { client, name: TableName } = api.table;
  const found: string[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey, ConsistentRead: true }));
    const entries = (page.Items ?? []).filter((item) => kindOf(item as Key) === "activity");
    found.push(...entries.filter(({ request_id }) => request_id === requestId).map(({ pk }) => String(pk)));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found.toSorted();
}

it("every route that writes appends an audit entry, or is listed with a reason why not", () => {
  const writing = apiRoutes.filter(({ table }) => table === "write").map(({ id }) => id);
  expect([...Object.keys(audited), ...Object.keys(unaudited)].toSorted()).toEqual(writing.toSorted());
});

describe("a request that writes", () => {
  it.each(Object.entries(audited))(
    "the request %s leaves exactly one entry in the right activity",
    async (id, given) => {
      const request = await given();
      const { requestId, answer } = await write(id, request);
      expect(await entriesOf(requestId)).toEqual(request.lists(answer).toSorted());
    },
  );

  const possible = Object.entries(unaudited).flatMap(([id, { reason, request }]) =>
    request ? [{ id, reason, request }] : [],
  );
  it.each(possible)("the request $id appends no audit entry: $reason", async ({ id, request }) => {
    const { requestId } = await write(id, await request());
    expect(await entriesOf(requestId)).toEqual([]);
  });
});
