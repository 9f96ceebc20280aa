import { beforeAll, expect, it } from "vitest";
import * as communities from "#lib/contract/communities.ts";
import * as me from "#lib/contract/me.ts";
import * as membership from "#lib/contract/membership.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, aTeamMember, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const { call } = api;

const owner = { id: 82_000_002, groups: ["editor"] };
let owned: GivenCommunity[];
beforeAll(async () => {
  await addProfile(api.table, { id: owner.id, username: "olga", first_name: "Olga", last_name: "Owner" });
  owned = [];
  for (let n = 0; n < 2; n++) {
    const { id } = await aCommunity(api.table);
    await call(communities.update, { as: admin, params: { id }, body: { community: { owner_id: owner.id } } });
    owned.push({ id, owner, tier: (await aCommunity(api.table)).tier });
  }
});

const part = async (id: number) => {
  const { body } = await call(communities.show, { params: { id } });
  const { uuid, name, slug, status } = body;
  return { id, uuid, name, slug, status };
};

it("GET /me of a person without memberships has their groups and empty lists", async () => {
  const stranger = { id: 82_000_001 };
  const { user, ...rest } = (await call(me.show, { as: stranger })).body;
  // Signing in to a user pool has made a profile.
  expect([undefined, stranger.id]).toContain(user?.id);
  expect(rest).toEqual({
    groups: [],
    owned_communities: [],
    owned_communities_has_more: false,
    memberships: [],
    memberships_has_more: false,
    teams: [],
    teams_has_more: false,
    invitations: [],
  });
});

it("GET /me of an owner has their communities, newest first, including archived ones", async () => {
  const [first, second] = owned.map(({ id }) => id);
  const params = { id: first ?? 0 };
  await call(communities.update, { as: admin, params, body: { community: { status: "archived" } } });
  const { body } = await call(me.show, { as: owner });
  expect(body).toMatchObject({
    user: { id: owner.id, username: "olga", email: "olga@example.com" },
    groups: ["editor"],
  });
  expect(body.owned_communities).toEqual([await part(second ?? 0), await part(first ?? 0)]);
  expect(body.owned_communities[1]?.status).toBe("archived");
});

it("GET /me of a member has each membership with the access that the community's own route returns", async () => {
  const [active, blocked, ended] = [
    await aCommunity(api.table),
    await aCommunity(api.table),
    await aCommunity(api.table),
  ];
  const member = await aMember(api.table, active);
  const { user } = member;
  await addProfile(api.table, user);
  await aMember(api.table, blocked, { user, is_blocked: true });
  await aMember(api.table, ended, { user, status: "canceled" });
  const { body } = await call(me.show, { as: user });
  expect(body.user).toEqual(user);
  expect(body.memberships.map(({ community }) => community.id)).toEqual([ended.id, blocked.id, active.id]);
  for (const one of body.memberships) {
    const params = { community_id: one.community.id };
    const { body: alone } = await call(membership.show, { as: user, params });
    const { id, name, badge } = alone.tier ?? {};
    const { access, status, current_period_end, cancel_at_period_end } = alone;
    expect(one).toMatchObject({ access, status, current_period_end, cancel_at_period_end, tier: { id, name, badge } });
    expect(one.community).toEqual(await part(one.community.id));
  }
  expect(body.memberships.at(-1)).toMatchObject({ member_id: member.id, access: { granted: true, reason: "active" } });
});

it.each([
  { person: { id: 82_000_003 }, count: 101, hasMore: true },
  { person: { id: 82_000_004 }, count: 100, hasMore: false },
])("GET /me lists at most 100 owned communities, memberships and teams, newest first: of $count", async (row) => {
  const { person, count, hasMore } = row;
  const { id: community_id, tier } = await aCommunity(api.table);
  const { user } = await aMember(api.table, { id: community_id, owner, tier });
  const item = await api.table.get(keys.membership(user.id, community_id));
  const { user_id } = await aTeamMember(api.table, { id: community_id });
  const place = await api.table.get(keys.teamMember(community_id, user_id));
  for (let n = 1; n <= count; n++) {
    const one = await aCommunity(api.table);
    const [own, teamMember] = [keys.membership(person.id, one.id), keys.teamMember(one.id, person.id)];
    await write(api.table, [
      { put: { ...item, ...own, community_id: one.id, tier_id: one.tier.id } },
      { put: { ...keys.ownedCommunity(person.id, one.id), community_id: one.id } },
      { put: { ...place, ...teamMember, community_id: one.id, user_id: person.id } },
      { put: { ...keys.teamOf(person.id, one.id), community_id: one.id } },
    ]);
  }
  const { body } = await call(me.show, { as: person });
  expect(body).toMatchObject({
    owned_communities_has_more: hasMore,
    memberships_has_more: hasMore,
    teams_has_more: hasMore,
  });
  for (const ids of [
    body.owned_communities.map(({ id }) => id),
    body.memberships.map(({ community }) => community.id),
    body.teams.map(({ community }) => community.id),
  ]) {
    expect(ids).toHaveLength(100);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  }
});
