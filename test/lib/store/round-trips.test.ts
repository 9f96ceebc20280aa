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
import { handler as showSeries } from "../../../functions/communities/series.ts";
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
import { type Call, invoke, startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aMember, type GivenCommunity, givenBy } from "../../support/given.ts";

const test = startTable();

/** `call` creates the data that the request needs before round trips are counted, so that cases do not depend on each other. */
type Case = readonly [name: string, endpoint: Endpoint, call: () => Call | Promise<Call>, most: number];

describe("sequential round trips to the table", () => {
  let count: ReturnType<typeof counted>;
  let community: GivenCommunity;
  let nextOwner: { id: number };
  const [producers, others] = [fortyProducers(), fortyProducers()];
  beforeAll(async () => {
    community = await aCommunity(test.table);
    for (let n = 0; n < 30; n++) await aMember(test.table, community);
    await aBenefit(test.table, community);
    nextOwner = (await aCommunity(test.table)).owner;
    count = counted(test.client);
  });

  const ask = (endpoint: Endpoint, call: Call) => invoke(endpoint, test.platform(), call);
  /** A call that has been made before. */
  async function made(endpoint: Endpoint, call: Call): Promise<Call> {
    await ask(endpoint, call);
    return call;
  }
  const keyed = (call: Call): Call => ({ ...call, headers: { "idempotency-key": randomUUID() } });

  const inCommunity = () => ({ params: { community_id: community.id }, as: admin });
  const ofMember = async () => ({
    params: { community_id: community.id, id: (await aMember(test.table, community)).id },
    as: admin,
  });
  const ofBlocked = async () => made(block, await ofMember());

  const ofCommunity = () => ({ params: { id: community.id }, as: admin });
  const ofBenefit = async () => ({ params: { id: (await aBenefit(test.table, community)).id }, as: admin });
  const toTier = () => ({ tier_ids: [community.tier.id] });
  const benefitBody = () => ({ body: { benefit: { name: "Tour", ...toTier() } } });
  const newBenefit = () => ({ ...inCommunity(), ...benefitBody() });
  const newCommunity = () => ({ as: admin, body: { community: { name: "Rye", owner_id: nextOwner.id } } });
  const newOwner = () => ({ body: { community: { slug: "rye-club", owner_id: nextOwner.id } } });

  const ofProducer = () => ({ params: { producer_id: producers[0] }, as: admin });
  const ofBrand = async () => {
    const brand = await brands.add(test.table, { name: "Smoke", producer_ids: producers }, givenBy());
    return { params: { producer_id: producers[0], id: brand.id }, as: admin };
  };
  const brandBody = (producer_ids: string[]) => ({ body: { brand: { name: "n".repeat(120), producer_ids } } });

  let day = 0;
  const strangers = ({ id, tier }: GivenCommunity) => ({
    params: { community_id: id },
    as: admin,
    body: {
      members: Array.from({ length: 25 }, () => ({
        user: { email: `${randomUUID()}@example.com` },
        tier_id: tier.id,
        status: "active",
        // A day of their own for each, as ids contain it: an id that is taken would cost another attempt.
        created_at: new Date(Date.UTC(2020, 0, ++day)).toISOString(),
        current_period_start: "2026-11-01T00:00:00.000Z",
        current_period_end: "2026-12-01T00:00:00.000Z",
      })),
    },
  });

  const cases: Case[] = [
    ["listing members", listMembers, inCommunity, 1],
    ["listing blocked members", listMembers, () => ({ ...inCommunity(), query: "is_blocked=true" }), 1],
    [
      "listing members with access who have no address, which reads the tiers first",
      listMembers,
      () => ({ ...inCommunity(), query: "access=true&has_shipping_address=false" }),
      2,
    ],
    ["searching members", listMembers, () => ({ ...inCommunity(), query: "query=ana" }), 2],
    ["showing a member", showMember, ofMember, 1],
    [
      "editing a member",
      updateMember,
      async () => ({ ...(await ofMember()), body: { member: { metadata: { a: 1 } } } }),
      2,
    ],
    ["blocking a member", block, ofMember, 3],
    ["unblocking a member", unblock, ofBlocked, 2],
    ["importing members to a new tier", importMembers, async () => strangers(await aCommunity(test.table)), 4],
    [
      "importing members",
      importMembers,
      async () => {
        await made(importMembers, strangers(community));
        return strangers(community);
      },
      4,
    ],
    ["importing the same members again", importMembers, () => made(importMembers, strangers(community)), 4],
    ["blocking a member, with a key", block, async () => keyed(await ofMember()), 5],
    ["blocking a member, again with the key", block, async () => made(block, keyed(await ofMember())), 1],
    ["showing a community", showCommunity, ofCommunity, 1],
    ["creating a community", createCommunity, newCommunity, 2],
    ["giving a community another slug and owner", updateCommunity, () => ({ ...ofCommunity(), ...newOwner() }), 3],
    ["showing a community's stats", showStats, inCommunity, 1],
    ["showing a community over time", showSeries, () => ({ ...inCommunity(), query: "metric=mrr&interval=week" }), 1],
    ["listing tiers", listTiers, inCommunity, 1],
    ["showing the own membership", showMembership, inCommunity, 1],
    ["listing benefits", listBenefits, inCommunity, 1],
    ["creating a benefit", createBenefit, newBenefit, 2],
    ["creating a benefit, with a key", createBenefit, () => keyed(newBenefit()), 2],
    ["creating a benefit, again with the key", createBenefit, () => made(createBenefit, keyed(newBenefit())), 1],
    ["showing a benefit", showBenefit, ofBenefit, 2],
    ["editing a benefit", updateBenefit, async () => ({ ...(await ofBenefit()), ...benefitBody() }), 3],
    ["assigning a benefit", assignBenefit, async () => ({ ...(await ofBenefit()), body: toTier() }), 3],
    ["archiving a benefit", archiveBenefit, ofBenefit, 3],
    ["activating a benefit", activateBenefit, async () => made(archiveBenefit, await ofBenefit()), 3],
    ["deleting a benefit", removeBenefit, ofBenefit, 3],
    ["listing brands", listBrands, ofProducer, 1],
    ["showing a brand", showBrand, ofBrand, 1],
    ["creating a brand under forty producers", createBrand, () => ({ ...ofProducer(), ...brandBody(producers) }), 2],
    [
      "moving a brand to forty other producers",
      updateBrand,
      async () => ({ ...(await ofBrand()), ...brandBody(others) }),
      2,
    ],
    ["deleting a brand", removeBrand, ofBrand, 2],
  ];

  /** Requests that read an index, which can lag behind. All other reads are strongly consistent. */
  const ofIndexes: Readonly<Record<string, readonly string[]>> = {
    "listing blocked members": ["QueryCommand by_blocked"],
    "listing members with access who have no address, which reads the tiers first": ["QueryCommand by_access"],
  };

  it.each(cases)(
    "%s takes no more round trips to the table than necessary, and only strongly consistent reads",
    async (name, endpoint, call, most) => {
      const request = await call();
      count.take();
      expect([200, 201, 204]).toContain((await ask(endpoint, request)).status);
      const { roundTrips, calls, lateReads } = count.take();
      expect({ calls, isWithin: roundTrips <= most }).toEqual({ calls, isWithin: true });
      expect(lateReads).toEqual(ofIndexes[name] ?? []);
    },
  );
});

function fortyProducers(): string[] {
  return Array.from({ length: 40 }, () => randomUUID()).toSorted();
}
