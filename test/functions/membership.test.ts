import { beforeAll, describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as membership from "#lib/contract/membership.ts";
import { admin, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, aTier, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const { call } = api;

let community: GivenCommunity;
beforeAll(async () => {
  community = await aCommunity(api.table);
  const better = await aTier(api.table, community.id, { position: 2 });
  const tier_ids = [community.tier.id];
  await aBenefit(api.table, community, { name: "Second", position: 8, tier_ids: [...tier_ids, better.id] });
  await aBenefit(api.table, community, { name: "First", position: 3, tier_ids });
  await aBenefit(api.table, community, { name: "Of the better tier", position: 1, tier_ids: [better.id] });
  await aBenefit(api.table, community, { name: "Of no tier", position: 2 });
  const old = await aBenefit(api.table, community, { name: "Old", position: 4, tier_ids });
  await call(benefits.archive, { params: { id: old.id }, as: admin });
});

const benefitsOf = async (id: number) => {
  const { body } = await call(membership.show, { params: { community_id: community.id }, as: { id } });
  return body.benefits.map(({ name }) => name);
};

describe("the benefits of one's own membership", () => {
  it.each(["active", "trialing", "past_due"] as const)(
    "the benefits of a membership are the active ones of the tier, by position: %s",
    async (status) => {
      const { user } = await aMember(api.table, community, { status });
      expect(await benefitsOf(user.id)).toEqual(["First", "Second"]);
    },
  );

  it.each(["unpaid", "canceled", "incomplete"] as const)(
    "a membership without access has no benefits: %s",
    async (status) => {
      const { user } = await aMember(api.table, community, { status });
      expect(await benefitsOf(user.id)).toEqual([]);
    },
  );

  it("the own membership of a blocked member, a non-member and an owner without a tier has no benefits", async () => {
    const { user } = await aMember(api.table, community, { is_blocked: true });
    for (const id of [user.id, 9, community.owner.id]) expect(await benefitsOf(id)).toEqual([]);
  });
});
