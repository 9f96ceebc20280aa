import { expect, it } from "vitest";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { keys } from "#lib/store/keys.ts";
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
