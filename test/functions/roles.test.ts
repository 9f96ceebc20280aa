import { beforeAll, describe, expect, it } from "vitest";
import type { PlacedRoute } from "#lib/contract/index.ts";
import * as brands from "#lib/store/brands.ts";
import { type As, admin, apiRoutes, editor, pathOf, startApi } from "../support/api.ts";
import {
  aBenefit,
  aCommunity,
  aDestination,
  aMember,
  anApiKey,
  anInvitation,
  aTeamMember,
  givenBy,
} from "../support/given.ts";
import { operations } from "../support/openapi.ts";
import { rawRequests } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

const roles = ["anonymous", "stranger", "member", "owner", "other_owner", "editor", "admin"] as const;
type Role = (typeof roles)[number];
type Access = PlacedRoute["access"];

/** Who may use a route, by the table of `docs/api.md`, section 2. All others get 401 without a token, 403 with one. */
const may: Readonly<Record<Access, readonly Role[]>> = {
  public: roles,
  optional: roles,
  user: roles.slice(1),
  owner: ["owner", "admin"],
  editor: ["editor", "admin"],
  admin: ["admin"],
};

/** A request that a parameter or a property of the body distinguishes from others of its route. */
type Asked = {
  readonly id: string;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly allowed: readonly Role[];
};
const owners = ["owner", "admin"] as const;

/**
 * Query parameters that decide who may use their route (`docs/api.md`, sections 2, 6 and 7). Without a slug, the list of
 * communities contains all of them. No other parameter of a query changes who may use its route.
 */
const deciding: Readonly<Record<string, readonly Role[]>> = {
  CommunitiesList: ["admin"],
  "CommunitiesList slug=any": roles,
  "DiscoveryExplore filter=my_communities": roles.slice(1),
};

/** A value of each query parameter that is no list of values. */
const values: Readonly<Record<string, string>> = {
  page: "1",
  per: "1",
  cursor: "any",
  query: "ana",
  slug: "any",
  tier_id: "1",
  is_blocked: "true",
  from: "2026-01-01",
  to: "2026-01-02",
};

const ofQueries = apiRoutes.flatMap(({ id, key, access }): Asked[] => {
  const { query = [] } = operations.find((operation) => operation.key === key) ?? {};
  return query.flatMap(({ name = "", schema }) =>
    (schema.enum ?? [values[name] ?? ""]).map((value) => {
      const required = id === "CommunitiesSeries" && name !== "metric" ? "metric=mrr&" : "";
      const allowed = deciding[`${id} ${name}=${value}`] ?? deciding[id] ?? may[access];
      return { id, query: `${required}${name}=${value}`, allowed };
    }),
  );
});

const patchOf = (community: object, allowed: readonly Role[]): Asked => ({
  id: "CommunitiesUpdate",
  body: { community },
  allowed,
});

/** Other requests whose parameters decide. None has an effect: values are those that the record has. */
const asked: readonly Asked[] = [
  ...ofQueries,
  { id: "CommunitiesList", query: "", allowed: ["admin"] },
  { id: "CommunitiesList", query: "slug=any&status=archived&per=1", allowed: roles },
  { id: "CommunitiesList", query: "status=archived&per=1&cursor=any", allowed: ["admin"] },
  { id: "DiscoveryExplore", query: "filter=my_communities&query=a", allowed: roles.slice(1) },
  { id: "MembersList", headers: { accept: "text/csv" }, allowed: owners },
  { id: "MembersList", query: "query=ana&per=100", headers: { accept: "text/csv" }, allowed: owners },
  patchOf({}, owners),
  patchOf({ name: "Mezcal Circle" }, owners),
  patchOf({ avatar_url: null }, owners),
  patchOf({ status: "active" }, ["admin"]),
  patchOf({ trending_pin: null }, ["admin"]),
  patchOf({ owner_id: "the owner" }, ["admin"]),
  patchOf({ name: "Mezcal Circle", trending_pin: null }, ["admin"]),
];

/** The routes that more people may use than owners, editors and admins: written out, so that none is added by mistake. */
const open: Readonly<Record<string, Access>> = {
  SystemHealth: "public",
  WebhooksStripe: "public",
  DiscoveryExplore: "optional",
  BrandsList: "user",
  BrandsShow: "user",
  CommunitiesList: "optional",
  CommunitiesShow: "optional",
  TiersList: "optional",
  TiersShow: "optional",
  MembershipShow: "user",
  MembershipPaymentHistory: "user",
  MembershipCancelSubscription: "user",
  MembershipUncancelSubscription: "user",
  SubscriptionsChangeOwn: "user",
  SubscriptionsDropOwnScheduledChange: "user",
  CheckoutCreateSession: "user",
  CheckoutCreatePortalSession: "user",
  MeShow: "user",
  MeData: "user",
  MeErase: "user",
  KeysRemove: "user",
  TeamRemoveInvitation: "user",
  TeamAccept: "user",
};

it("only the listed routes are open to everybody or to every user", () => {
  const isOpen = ({ access }: PlacedRoute) => access === "public" || access === "optional" || access === "user";
  expect(Object.fromEntries(apiRoutes.filter(isOpen).map(({ id, access }) => [id, access]))).toEqual(open);
});

describe("who may use a route", () => {
  let callers: Readonly<Record<Role, As | undefined>>;
  let idsOf: (area: string) => Readonly<Record<string, unknown>>;
  /** The community of the other owner. */
  let otherId: number;
  beforeAll(async () => {
    // Needed to check webhooks. No request of this file reaches Stripe.
    process.env.STRIPE_SECRET ??= JSON.stringify({ secret_key: "sk_test_roles", webhook_secret: "whsec_roles" });

    const community = await aCommunity(api.table);
    const other = await aCommunity(api.table);
    otherId = other.id;
    const member = await aMember(api.table, community);
    const benefit = await aBenefit(api.table, community);
    const destination = await aDestination(api.table, community);
    const producer_id = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0009";
    const invitation = await anInvitation(api.table, community);
    const { user_id } = await aTeamMember(api.table, community);
    const apiKey = await anApiKey(api.table, community);
    const brand = await brands.add(api.table, { name: "Smoke", producer_ids: [producer_id] }, givenBy());

    callers = {
      anonymous: undefined,
      stranger: { id: 77 },
      member: member.user,
      owner: community.owner,
      other_owner: other.owner,
      editor,
      admin,
    };
    const records: Readonly<Record<string, unknown>> = {
      members: member.id,
      subscriptions: member.id,
      tiers: community.tier.id,
      benefits: benefit.id,
      destinations: destination.id,
      brands: brand.id,
      communities: community.id,
      team: invitation.id,
      keys: apiKey.id,
      users: community.owner.id,
    };
    idsOf = (area) => ({ community_id: community.id, producer_id, user_id, delivery_id: 7, id: records[area] });
  });

  /**
   * Makes a request without an effect: with an invalid body or a version that does not exist. A caller with the right gets an
   * error about the request, and a caller without the right is refused.
   */
  async function probe(route: PlacedRoute, as: As | undefined, community_id?: number) {
    const { area, method } = route;
    const ids = { ...idsOf(area), ...(community_id !== undefined && { community_id }) };
    // Without a slug, the list of all communities is for admins: see public-reads.test.ts.
    const query = route.id === "CommunitiesList" ? "?slug=any" : "";
    const { status, code } = await send({
      as,
      method,
      path: `${pathOf(route, ids)}${query}`,
      ...(method !== "GET" && { headers: { "if-match": '"none"' }, body: '{"nothing_of_this_name":true}' }),
    });
    return { status, code };
  }

  it.each(
    asked.flatMap((request) =>
      roles.map((role) => ({
        title: `${role}: ${request.id} ${request.query ?? JSON.stringify(request.body ?? request.headers)}`,
        request,
        role,
      })),
    ),
  )(
    "access by parameter is as documented for $title",
    async ({ request: { id, query, body, headers = {}, allowed }, role }) => {
      const route = apiRoutes.find((one) => one.id === id);
      if (!route) throw new Error(`There is no route ${id}`);
      const ids = idsOf(route.area);
      const sent = JSON.stringify(body ?? {}).replace('"the owner"', String(callers.owner?.id));
      const { status, code } = await send({
        as: callers[role],
        method: route.method,
        path: `${pathOf(route, ids)}${query === undefined ? "" : `?${query}`}`,
        headers,
        ...(body && { body: sent }),
      });
      const refused =
        role === "anonymous" ? { status: 401, code: "missing_token" } : { status: 403, code: "forbidden" };
      if (!allowed.includes(role)) return expect({ status, code }).toEqual(refused);
      expect([401, 403, 404]).not.toContain(status);
      expect(status).toBeLessThan(500);
    },
  );

  it.each([
    ["UsersData", "member"],
    ["UsersData", "owner"],
    ["UsersErase", "member"],
  ] as const)("%s of the caller's own id is refused to a %s who is not an admin", async (id, role) => {
    const route = apiRoutes.find((one) => one.id === id);
    if (!route) throw new Error(`There is no route ${id}`);
    const path = pathOf(route, { id: callers[role]?.id });
    const { method } = route;
    const answer = await send({
      as: callers[role],
      method,
      path,
      ...(method === "POST" && { body: { dry_run: true } }),
    });
    expect(answer).toMatchObject({ status: 403, code: "forbidden" });
  });

  /** An action on the caller's own membership: there is none for callers who are no member. */
  const isOwnAction = ({ method, path }: PlacedRoute) => method !== "GET" && path.includes("/membership/");
  const rows = apiRoutes.flatMap((route) => roles.map((role) => ({ title: `${route.key}: ${role}`, role, route })));

  it.each(rows)("access by role is as declared for $title", async ({ route, role }) => {
    const { status, code } = await probe(route, callers[role]);
    // The member of this test has no scheduled change to drop.
    const isMissing = role !== "member" || route.method === "DELETE";
    const isHidden =
      /\/(invitations|api_keys)\//.test(route.path) &&
      !(route.method === "DELETE" && owners.some((one) => one === role));
    if (isHidden && role !== "anonymous") {
      expect({ status, code }).toEqual({ status: 404, code: "not_found" });
    } else if (isOwnAction(route) && role !== "anonymous" && isMissing) {
      expect({ status, code }).toEqual({ status: 404, code: "not_found" });
    } else if (may[route.access].includes(role)) {
      expect([401, 403, 404]).not.toContain(status);
      expect(status).toBeLessThan(500);
    } else if (role === "anonymous") expect({ status, code }).toEqual({ status: 401, code: "missing_token" });
    else expect({ status, code }).toEqual({ status: 403, code: "forbidden" });
  });

  it.each(apiRoutes.filter(({ path }) => path.includes("/members/{id}")).map((route) => ({ key: route.key, route })))(
    "$key answers 404 for a member of another community, to that community's owner and to admins",
    async ({ route }) => {
      for (const role of ["other_owner", "admin"] as const) {
        const { status, code } = await probe(route, callers[role], otherId);
        expect({ role, status, code }).toEqual({ role, status: 404, code: "not_found" });
      }
    },
  );
});
