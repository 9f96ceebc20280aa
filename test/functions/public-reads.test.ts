import { beforeAll, describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as routes from "#lib/contract/communities.ts";
import * as discovery from "#lib/contract/discovery.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { admin, startApi } from "../support/api.ts";
import { everyPage } from "../support/every-page.ts";
import { aBenefit, aCommunity, aTier, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const { call } = api;

const slug = "public-reads";
let community: GivenCommunity;
let expected: { id: number; name: string; position: number; description: string }[];
beforeAll(async () => {
  community = await aCommunity(api.table, { slug, trending_pin: "on", tier: { stripe_price_id: "price_1" } });
  const other = await aTier(api.table, community.id);
  const given = [
    { name: "Tasting", description: "Each month", position: 2, tier_ids: [community.tier.id] },
    { name: "Label", description: "A print", position: 1, tier_ids: [community.tier.id, other.id] },
    { name: "Gone", description: "", position: 0, tier_ids: [community.tier.id] },
    { name: "Elsewhere", description: "", position: 3, tier_ids: [other.id] },
  ];
  const added: { readonly id: number }[] = [];
  for (const one of given) added.push(await aBenefit(api.table, community, one));
  await call(benefits.archive, { as: admin, params: { id: added[2]?.id ?? 0 } });
  expected = [1, 0].map((n) => {
    const { name = "", position = 0, description = "" } = given[n] ?? {};
    return { id: added[n]?.id ?? 0, name, position, description };
  });
});

const anyone = { id: 9 };

describe("without a token", () => {
  it("without a token, a community is shown without its owner and pin, and CloudFront may repeat it", async () => {
    const params = { id: community.id };
    const open = await call(routes.show, { params });
    expect(open).toMatchObject({ status: 200, body: { id: community.id, owner_id: null, trending_pin: null } });
    expect(open.headers.get("cache-control")).toBe("public, max-age=0, s-maxage=5");
    expect(open.headers.get("vary")).toBe("Authorization");
    const signedIn = await call(routes.show, { params, as: anyone });
    expect(signedIn.body).toEqual({ ...open.body, owner_id: community.owner.id, trending_pin: "on" });
    expect(signedIn.headers.get("vary")).toBe("Authorization");
    expect(signedIn.headers.get("cache-control")).toBe("private, no-cache");
    const unknown = await call(routes.show, { params: { id: 1 } });
    expect([unknown.status, unknown.headers.get("cache-control")]).toEqual([404, "no-store"]);
  });

  it("without a token, a community is found by its exact slug, and by no other", async () => {
    const find = (query: { readonly slug: string; readonly status?: "archived" }) =>
      call(routes.list, { query: { ...query } });
    const { body } = await call(routes.show, { params: { id: community.id } });
    expect(await find({ slug })).toMatchObject({
      status: 200,
      body: { has_more: false, next_cursor: null, data: [body] },
    });
    for (const query of [{ slug: "public" }, { slug: slug.toUpperCase() }, { slug, status: "archived" as const }])
      expect((await find(query)).body.data).toEqual([]);
  });

  it("without a token, tiers are shown without the ids of their prices, with their active benefits in order", async () => {
    const listed = await call(tiers.list, { params: { community_id: community.id } });
    const [first] = listed.body.data;
    const brief = expected.map(({ id, name, position }) => ({ id, name, position }));
    expect(first).toMatchObject({ id: community.tier.id, stripe_price_id: null });
    expect(first?.benefits).toEqual(brief);
    const shown = await call(tiers.show, { params: { id: community.tier.id } });
    expect(shown.body).toEqual({ ...first, benefits: expected });
    const signedIn = await call(tiers.show, { params: { id: community.tier.id }, as: anyone });
    expect(signedIn.body).toEqual({ ...shown.body, stripe_price_id: "price_1" });
  });

  it("the community id that discovery returns is accepted by the other routes", async () => {
    const { body } = await call(discovery.explore, { query: { per: 100 } });
    const { body: shown } = await call(routes.show, { params: { id: community.id } });
    expect(body.data.find(({ id }) => id === shown.uuid)).toMatchObject({ community_id: community.id });
  });

  it("an invalid token is refused even on routes that need none", async () => {
    const headers = { authorization: "Bearer nonsense" };
    for (const path of [`communities/${community.id}`, `tiers/${community.tier.id}`, `communities?slug=${slug}`])
      expect((await api.send(`/odis/v1/${path}`, { headers })).status).toBe(401);
  });
});

describe("the list of all communities", () => {
  it("the list of all communities contains each one once, newest first, by status, with any page size", async () => {
    const made: GivenCommunity[] = [];
    for (let n = 0; n < 7; n++) made.push(await aCommunity(api.table));
    for (const { id } of made.slice(0, 3))
      await call(routes.update, { as: admin, params: { id }, body: { community: { status: "archived" } } });
    const [back] = made;
    await call(routes.update, { as: admin, params: { id: back?.id ?? 0 }, body: { community: { status: "active" } } });
    const archived = [made[2], made[1]].map((one) => one?.id);

    const idsBy = async (per: number, status?: string) => {
      const listed = await everyPage(async (cursor) => {
        const query = { per, ...(status && { status }), ...(cursor && { cursor }) };
        return (await call(routes.list, { as: admin, query })).body;
      });
      const ids = listed.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
      // Other tests create communities too.
      return ids.filter((id) => id === community.id || made.some((one) => one.id === id));
    };
    const all = await idsBy(100);
    expect(all).toHaveLength(1 + made.length);
    expect(await idsBy(2)).toEqual(all);
    expect(await idsBy(3, "archived")).toEqual(archived);
    expect(await idsBy(3, "active")).toEqual(all.filter((id) => !archived.includes(id)));
  });

  it("the list of all communities shows a community exactly like GET of the community", async () => {
    const { body } = await call(routes.list, { as: admin, query: { per: 100 } });
    const { body: shown } = await call(routes.show, { as: admin, params: { id: community.id } });
    expect(body.data.find(({ id }) => id === community.id)).toEqual(shown);
  });

  it("the list of all communities refuses a cursor combined with a slug", async () => {
    const { body } = await call(routes.list, { as: admin, query: { slug, cursor: "x" } });
    expect(body).toMatchObject({ errors: [{ parameter: "cursor", code: "conflicts" }] });
  });
});

it("a cache gets the benefits of a tier again once one was archived, and an edit of the tier is still allowed", async () => {
  const { tier, id } = await aCommunity(api.table, { slug: "revalidated" });
  const benefit = await aBenefit(api.table, { id }, { tier_ids: [tier.id] });
  const params = { id: tier.id };
  const before = (await call(tiers.show, { params })).headers.get("etag") ?? "";
  const again = () => call(tiers.show, { params, headers: { "if-none-match": before } });
  expect((await again()).status).toBe(304);
  await call(benefits.archive, { as: admin, params: { id: benefit.id } });
  expect(await again()).toMatchObject({ status: 200, body: { benefits: [] } });
  const edit = {
    as: admin,
    params,
    body: { tier: { requires_shipping_address: true } },
    headers: { "if-match": before },
  };
  expect((await call(tiers.update, edit)).status).toBe(200);
  expect((await call(tiers.update, edit)).status).toBe(412);
});

it("If-Match accepts the ETag of a read without a token, until the tier or community is edited", async () => {
  const place = await aCommunity(api.table, { trending_pin: "on", tier: { stripe_price_id: "price_2" } });
  const { headers: ofTier } = await call(tiers.show, { params: { id: place.tier.id } });
  const tier = { as: place.owner, params: { id: place.tier.id }, headers: { "if-match": ofTier.get("etag") ?? "" } };
  expect((await call(tiers.update, { ...tier, body: { tier: { badge: "First" } } })).status).toBe(200);
  expect((await call(tiers.update, { ...tier, body: { tier: { badge: "Second" } } })).status).toBe(412);
  expect((await call(tiers.remove, tier)).status).toBe(412);

  const { headers } = await call(routes.show, { params: { id: place.id } });
  const edit = { as: place.owner, params: { id: place.id } };
  const conditional = { ...edit, headers: { "if-match": headers.get("etag") ?? "" } };
  expect((await call(routes.update, { ...conditional, body: { community: { name: "First" } } })).status).toBe(200);
  expect((await call(routes.update, { ...conditional, body: { community: { name: "Second" } } })).status).toBe(412);
  const renewed = await call(routes.show, { params: { id: place.id } });
  const unless = { ...edit, headers: { "if-none-match": renewed.headers.get("etag") ?? "" } };
  expect((await call(routes.update, { ...unless, body: { community: { name: "Third" } } })).status).toBe(412);
});

it("an empty slug is refused", async () => {
  const response = await api.send("/odis/v1/communities?slug=");
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [{ parameter: "slug" }] });
});
