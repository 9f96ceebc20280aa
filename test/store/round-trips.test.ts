import { beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "#lib/http/handler.ts";
import { handler as showCommunity } from "../../functions/communities/show.ts";
import { handler as showStats } from "../../functions/communities/stats.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as listMembers } from "../../functions/members/list.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as unblock } from "../../functions/members/unblock.ts";
import { handler as updateMember } from "../../functions/members/update.ts";
import { handler as showMembership } from "../../functions/membership/show.ts";
import { handler as listTiers } from "../../functions/tiers/list.ts";
import { admin } from "../support/api.ts";
import { counted } from "../support/counting.ts";
import { invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

const test = startTable();

type Call = Parameters<typeof invoke>[2];

describe("sequential round trips to the table", () => {
  let count: ReturnType<typeof counted>;
  let community: GivenCommunity;
  let member: { id: number };
  beforeAll(async () => {
    community = await aCommunity(test.table);
    for (let n = 0; n < 30; n++) member = await aMember(test.table, community);
    count = counted(test.client);
  });

  const inCommunity = () => ({ params: { community_id: community.id }, as: admin });
  const ofMember = () => ({ params: { community_id: community.id, id: member.id }, as: admin });

  it.each<[string, Endpoint, () => Call, number]>([
    ["list members", listMembers, inCommunity, 1],
    ["list blocked members", listMembers, () => ({ ...inCommunity(), query: "is_blocked=true" }), 1],
    ["search members", listMembers, () => ({ ...inCommunity(), query: "query=ana" }), 2],
    ["show a member", showMember, ofMember, 1],
    ["edit a member", updateMember, () => ({ ...ofMember(), body: { member: { metadata: { a: 1 } } } }), 2],
    ["block a member", block, ofMember, 2],
    ["unblock a member", unblock, ofMember, 2],
    ["show a community", showCommunity, () => ({ params: { id: community.id }, as: admin }), 1],
    ["show a community's stats", showStats, inCommunity, 1],
    ["list tiers", listTiers, inCommunity, 1],
    ["show the own membership", showMembership, inCommunity, 1],
  ])("%s", async (_, endpoint, call, most) => {
    count.take();
    expect((await invoke(endpoint, test.platform(), call())).status).toBe(200);
    const { roundTrips, calls } = count.take();
    expect({ calls, isWithin: roundTrips <= most }).toEqual({ calls, isWithin: true });
  });
});
