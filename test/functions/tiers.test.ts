import { expect, it } from "vitest";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { etagOf } from "#lib/http/etag.ts";
import * as catalog from "#lib/store/catalog.ts";
import { keys } from "#lib/store/keys.ts";
import { toResponse } from "#lib/store/tiers.ts";
import { write } from "#lib/store/write.ts";
import { admin, type Problem, startApi } from "../support/api.ts";
import { aCommunity, aMember, aTier } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const inCommunity = () => ({ params: { community_id: community.id } });
const community = setUp(() => aCommunity(api.table));

it("a member whose tier is missing is shown with a tier with an empty name and price 0, in JSON and CSV", async () => {
  const tier = await aTier(api.table, community.id);
  const member = await aMember(api.table, community, { tier_id: tier.id });
  await write(api.table, [{ delete: keys.tier(community.id, tier.id) }]);
  const params = { community_id: community.id, id: member.id };
  const expected = { id: tier.id, name: "", monthly_price_dollars: 0 };

  const shown = await call(members.show, { as: admin, params });
  expect(shown).toMatchObject({ status: 200, body: { membership_tier: expected, requires_shipping_address: false } });
  const listed = await call(members.list, { as: admin, ...inCommunity(), query: { per: 100 } });
  expect(listed.body.data.find(({ id }) => id === member.id)?.membership_tier).toEqual(expected);
  const path = `/odis/v1/communities/${community.id}/members`;
  const headers = { authorization: `Bearer ${await api.tokenOf(admin)}`, accept: "text/csv" };
  expect((await api.send(path, { headers })).status).toBe(200);
});

it("the sequence of a tier and of a community is that of their last event, and their ETag does not cover it", async () => {
  const restored = { ...api.table, runtime: { ...api.table.runtime, epoch: 1 } };
  const { id } = await aTier(api.table, community.id);
  const parent = await catalog.open(api.table, community.id);
  const tier = parent.tiers.find((one) => one.id === id) ?? expect.unreachable();
  const [own, later] = [api.table, restored].map(({ runtime }) => toResponse(tier, parent, runtime));
  expect([own?.sequence, later?.sequence]).toEqual([10_000, 1_000_000_010_000]);
  expect(etagOf(own ?? {})).toBe(etagOf(later ?? {}));

  const edit = { as: admin, params: { id }, body: { tier: { badge: "B" } } };
  expect((await call(tiers.update, edit)).body.sequence).toBe(20_000);
  const params = { id: community.id };
  const { body } = await call(communities.show, { as: admin, params });
  const renamed = await call(communities.update, { as: admin, params, body: { community: { name: "Renamed" } } });
  expect(renamed.body.sequence).toBe(body.sequence + 10_000);
});

it("of twelve tiers that are created at the same time, only the two below the limit are created", async () => {
  const { id } = await aCommunity(api.table);
  for (let n = 0; n < 47; n++) await aTier(api.table, id, { position: n });
  const body = { tier: { name: "Late", monthly_price_dollars: 0 } };
  const create = () => call(tiers.create, { as: admin, params: { community_id: id }, body });
  const answers = await Promise.all(Array.from({ length: 12 }, create));
  const created = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body: problem }) => (problem as unknown as Problem).code === "limit_reached");
  expect({ created: created.length, refused: refused.length }).toEqual({ created: 2, refused: 10 });
  const { body: page } = await call(tiers.list, { as: admin, params: { community_id: id }, query: { per: 100 } });
  expect(page.total).toBe(50);
  expect(new Set(page.data.slice(-2).map(({ position }) => position)).size).toBe(2);
});
