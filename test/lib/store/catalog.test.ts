import { beforeAll, describe, expect, it } from "vitest";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as catalog from "#lib/store/catalog.ts";
import * as communities from "#lib/store/communities.ts";
import { keys } from "#lib/store/keys.ts";
import * as tiers from "#lib/store/tiers.ts";
import { write } from "#lib/store/write.ts";
import { handler as listBenefits } from "../../../functions/benefits/list.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { handler as listTiers } from "../../../functions/tiers/list.ts";
import { handler as showTier } from "../../../functions/tiers/show.ts";
import { counted } from "../../support/counting.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aMember, aTier, type GivenCommunity, givenBy } from "../../support/given.ts";

const test = startTable();

let environment: Mount;
let now: Date;
let community: GivenCommunity;
let params: { community_id: number };
beforeAll(async () => {
  now = new Date("2026-11-21T12:00:00.000Z");
  environment = test.platform({ now: () => now });
  community = await aCommunity(test.table);
  params = { community_id: community.id };
});

const names = async (endpoint: Endpoint) => {
  const { body = {} } = await invoke(endpoint, environment, { params, as: community.owner });
  return (body.data as { readonly name: string }[]).map(({ name }) => name);
};

it("membership costs two read units in an environment that knows the community, whatever its tiers and benefits", async () => {
  const described = await aCommunity(test.table);
  for (let n = 0; n < 10; n++) await aTier(test.table, described.id);
  for (let n = 0; n < 30; n++) await aBenefit(test.table, described, { description: "d".repeat(2000) });
  const member = await aMember(test.table, described);
  const call = { params: { community_id: described.id }, as: { id: member.user.id } };
  const count = counted(test.client);
  const first = await invoke(showMembership, environment, call);
  expect(count.take()).toMatchObject({ roundTrips: 1, units: 19 });
  const second = await invoke(showMembership, environment, call);
  expect(count.take()).toMatchObject({ roundTrips: 1, units: 2 });
  expect(second).toEqual(first);
});

it("a tier costs three read units in an environment that knows the community, whatever its benefits", async () => {
  const described = await aCommunity(test.table);
  for (let n = 0; n < 30; n++)
    await aBenefit(test.table, described, { description: "d".repeat(2000), tier_ids: [described.tier.id] });
  const call = { params: { id: described.tier.id } };
  const count = counted(test.client);
  const first = await invoke(showTier, environment, call);
  expect(count.take().units).toBeGreaterThan(15);
  const second = await invoke(showTier, environment, call);
  expect(count.take()).toMatchObject({ roundTrips: 2, units: 3 });
  expect(second).toEqual(first);
  const [renamed] = (await benefits.open(test.table, described.id)).benefits;
  if (!renamed) throw new Error("The benefit is missing");
  await benefits.update(test.table, renamed, { name: "Tour" }, givenBy());
  expect(JSON.stringify((await invoke(showTier, environment, call)).body)).toContain("Tour");
});

describe("each change of a tier or benefit is in the next response", () => {
  const open = () => benefits.open(test.table, community.id);

  it("a tier is added, renamed and deleted", async () => {
    const before = await names(listTiers);
    const { id } = await aTier(test.table, community.id, { name: "Cask", position: 9 });
    expect(await names(listTiers)).toEqual([...before, "Cask"]);
    const tier = await tiers.find(test.table, community.id, id);
    if (!tier) throw new Error("The tier is missing");
    const renamed = await tiers.update(test.table, tier, { name: "Barrel" }, givenBy());
    expect(await names(listTiers)).toEqual([...before, "Barrel"]);
    await tiers.remove(test.table, renamed, false, givenBy());
    expect(await names(listTiers)).toEqual(before);
  });

  it("a benefit is added, renamed and deleted", async () => {
    const before = await names(listBenefits);
    const { id } = await aBenefit(test.table, community, { name: "Tour" });
    expect(await names(listBenefits)).toEqual([...before, "Tour"]);
    const benefit = await benefits.find(test.table, community.id, id);
    if (!benefit) throw new Error("The benefit is missing");
    const renamed = await benefits.update(test.table, benefit, { name: "Tasting" }, givenBy());
    expect(await names(listBenefits)).toEqual([...before, "Tasting"]);
    await benefits.remove(test.table, renamed, givenBy());
    expect(await names(listBenefits)).toEqual(before);
  });

  it("the community is renamed", async () => {
    await aBenefit(test.table, community, { name: "Glass" });
    await names(listBenefits);
    await communities.update(test.table, await open(), { name: "Peat" }, givenBy());
    const { body } = await invoke(listBenefits, environment, { params, as: community.owner });
    expect(body?.data).toMatchObject([{ name: "Glass", community: { id: community.id, name: "Peat" } }]);
  });
});

it("a tier that a function of an earlier version has changed is shown after ten seconds", async () => {
  const { id } = await aTier(test.table, community.id, { name: "Old", position: 9 });
  expect(await names(listTiers)).toContain("Old");
  await write(test.table, [{ update: keys.tier(community.id, id), set: { name: "New" }, when: "exists" }]);
  now = new Date(now.getTime() + 9999);
  expect(await names(listTiers)).toContain("Old");
  now = new Date(now.getTime() + 1);
  expect(await names(listTiers)).toContain("New");
});

it("an environment keeps the tiers and benefits of the 50 communities that it has read last", async () => {
  const shown: number[] = [];
  for (let n = 0; n < 51; n++) shown.push((await aCommunity(test.table)).id);
  const memory = new Map<string, unknown>();
  for (const id of shown) await catalog.open({ ...test.table, memory }, id);
  expect([...(memory.get("catalogs") as Map<number, unknown>).keys()]).toEqual(shown.slice(1));
});
