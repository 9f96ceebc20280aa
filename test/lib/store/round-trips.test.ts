import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "#lib/http/handler.ts";
import * as brands from "#lib/store/brands.ts";
import { handler as activateBenefit } from "../../../functions/benefits/activate.ts";
import { handler as archiveBenefit } from "../../../functions/benefits/archive.ts";
import { handler as assignBenefit } from "../../../functions/benefits/assign-to-tiers.ts";
import { handler as createBenefit } from "../../../functions/benefits/create.ts";
import { handler as listBenefits } from "../../../functions/benefits/list.ts";
import { handler as removeBenefit } from "../../../functions/benefits/remove.ts";
import { handler as showBenefit } from "../../../functions/benefits/show.ts";
import { handler as updateBenefit } from "../../../functions/benefits/update.ts";
import { handler as createBrand } from "../../../functions/brands/create.ts";
import { handler as listBrands } from "../../../functions/brands/list.ts";
import { handler as removeBrand } from "../../../functions/brands/remove.ts";
import { handler as showBrand } from "../../../functions/brands/show.ts";
import { handler as updateBrand } from "../../../functions/brands/update.ts";
import { handler as createCommunity } from "../../../functions/communities/create.ts";
import { handler as showCommunity } from "../../../functions/communities/show.ts";
import { handler as showStats } from "../../../functions/communities/stats.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as importMembers } from "../../../functions/members/import-batch.ts";
import { handler as listMembers } from "../../../functions/members/list.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { handler as listTiers } from "../../../functions/tiers/list.ts";
import { admin } from "../../support/api.ts";
import { counted } from "../../support/counting.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";

const test = startTable();

type Call = Parameters<typeof invoke>[2];

describe("sequential round trips to the table", () => {
  let count: ReturnType<typeof counted>;
  let community: GivenCommunity;
  let member: { id: number };
  let benefit: { id: number };
  let nextOwner: { id: number };
  let brand: { id: string };
  const [producers, others] = [fortyProducers(), fortyProducers()];
  beforeAll(async () => {
    community = await aCommunity(test.table);
    for (let n = 0; n < 30; n++) member = await aMember(test.table, community);
    benefit = await aBenefit(test.table, community);
    nextOwner = (await aCommunity(test.table)).owner;
    brand = await brands.add(test.table, { name: "Smoke", producer_ids: producers }, new Date());
    count = counted(test.client);
  });

  const inCommunity = () => ({ params: { community_id: community.id }, as: admin });
  const ofMember = () => ({ params: { community_id: community.id, id: member.id }, as: admin });

  const ofCommunity = () => ({ params: { id: community.id }, as: admin });
  const ofBenefit = () => ({ params: { id: benefit.id }, as: admin });
  const toTier = () => ({ tier_ids: [community.tier.id] });
  const newBenefit = () => ({ body: { benefit: { name: "Tour", ...toTier() } } });
  const newCommunity = () => ({ as: admin, body: { community: { name: "Rye", owner_id: nextOwner.id } } });
  const newOwner = () => ({ body: { community: { slug: "rye-club", owner_id: nextOwner.id } } });

  const ofProducer = () => ({ params: { producer_id: producers[0] }, as: admin });
  const ofBrand = () => ({ params: { producer_id: producers[0], id: brand.id }, as: admin });
  const ofMovedBrand = () => ({ params: { producer_id: others[0], id: brand.id }, as: admin });
  const brandBody = (producer_ids: string[]) => ({ body: { brand: { name: "n".repeat(120), producer_ids } } });

  const keyed = (key: string) => ({ headers: { "idempotency-key": key } });
  const withKey = () => ({ ...inCommunity(), ...newBenefit(), ...keyed("benefit") });

  const strangers = (from: number) => ({
    ...inCommunity(),
    body: {
      members: Array.from({ length: 25 }, (_, n) => ({
        user: { email: `imported${from + n}@example.com` },
        tier_id: community.tier.id,
        status: "active",
        created_at: "2020-01-01T00:00:00.000Z",
        current_period_start: "2026-11-01T00:00:00.000Z",
        current_period_end: "2026-12-01T00:00:00.000Z",
      })),
    },
  });

  it.each<[string, Endpoint, () => Call, number]>([
    ["list members", listMembers, inCommunity, 1],
    ["list blocked members", listMembers, () => ({ ...inCommunity(), query: "is_blocked=true" }), 1],
    ["search members", listMembers, () => ({ ...inCommunity(), query: "query=ana" }), 2],
    ["show a member", showMember, ofMember, 1],
    ["edit a member", updateMember, () => ({ ...ofMember(), body: { member: { metadata: { a: 1 } } } }), 2],
    ["block a member", block, ofMember, 2],
    ["unblock a member", unblock, ofMember, 2],
    ["import members to a tier that is new", importMembers, () => strangers(0), 4],
    ["import members", importMembers, () => strangers(100), 3],
    ["import the same members again", importMembers, () => strangers(100), 4],
    ["block a member, with a key", block, () => ({ ...ofMember(), ...keyed("block") }), 4],
    ["block a member, again with the key", block, () => ({ ...ofMember(), ...keyed("block") }), 1],
    ["show a community", showCommunity, ofCommunity, 1],
    ["create a community", createCommunity, newCommunity, 2],
    ["give a community another slug and owner", updateCommunity, () => ({ ...ofCommunity(), ...newOwner() }), 2],
    ["show a community's stats", showStats, inCommunity, 1],
    ["list tiers", listTiers, inCommunity, 1],
    ["show the own membership", showMembership, inCommunity, 1],
    ["list benefits", listBenefits, inCommunity, 1],
    ["create a benefit", createBenefit, () => ({ ...inCommunity(), ...newBenefit() }), 2],
    ["create a benefit, with a key", createBenefit, withKey, 2],
    ["create a benefit, again with the key", createBenefit, withKey, 1],
    ["show a benefit", showBenefit, ofBenefit, 2],
    ["edit a benefit", updateBenefit, () => ({ ...ofBenefit(), ...newBenefit() }), 3],
    ["assign a benefit", assignBenefit, () => ({ ...ofBenefit(), body: toTier() }), 3],
    ["archive a benefit", archiveBenefit, ofBenefit, 3],
    ["activate a benefit", activateBenefit, ofBenefit, 3],
    ["delete a benefit", removeBenefit, ofBenefit, 3],
    ["list brands", listBrands, ofProducer, 1],
    ["show a brand", showBrand, ofBrand, 1],
    ["create a brand under forty producers", createBrand, () => ({ ...ofProducer(), ...brandBody(producers) }), 2],
    ["move a brand to forty others", updateBrand, () => ({ ...ofBrand(), ...brandBody(others) }), 2],
    ["delete a brand", removeBrand, ofMovedBrand, 2],
  ])("%s", async (_, endpoint, call, most) => {
    count.take();
    expect([200, 201, 204]).toContain((await invoke(endpoint, test.platform(), call())).status);
    const { roundTrips, calls } = count.take();
    expect({ calls, isWithin: roundTrips <= most }).toEqual({ calls, isWithin: true });
  });
});

function fortyProducers(): string[] {
  return Array.from({ length: 40 }, () => randomUUID()).toSorted();
}
