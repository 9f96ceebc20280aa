import { beforeAll, describe, expect, it } from "vitest";
import { update as updateTier } from "#lib/contract/tiers.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, anAddress, aTier, type GivenCommunity } from "../support/given.ts";
import { ids, memberPagesOf } from "../support/member-pages.ts";

const api = startApi();
const { page, walk } = memberPagesOf(api);

describe("the members of a community by access and address", () => {
  const kinds = ["active", "canceled"].flatMap((status) =>
    [true, false].flatMap((is_blocked) =>
      [anAddress(), null].flatMap((shipping_address) =>
        [0, 1, 2].map((tier) => ({ status: status as "active" | "canceled", is_blocked, shipping_address, tier })),
      ),
    ),
  );
  let shop: GivenCommunity;
  let tiers: { id: number; requires_shipping_address: boolean }[];
  const stored: StoredMember[] = [];
  beforeAll(async () => {
    shop = await aCommunity(api.table);
    const ships = { requires_shipping_address: true };
    tiers = [shop.tier, await aTier(api.table, shop.id, ships), await aTier(api.table, shop.id, ships)];
    for (let n = 0; n < 2; n++)
      for (const { tier, ...over } of kinds)
        stored.push(await aMember(api.table, shop, { ...over, tier_id: tiers[tier]?.id ?? 0 }));
  });

  const flags = [undefined, true, false];
  const queries = flags.flatMap((access) =>
    flags.flatMap((requires_shipping_address) =>
      flags.flatMap((has_shipping_address) =>
        [undefined, 0, 1].map((tier) => ({ access, requires_shipping_address, has_shipping_address, tier })),
      ),
    ),
  );
  const hasAccess = ({ status, is_blocked }: StoredMember) => status === "active" && !is_blocked;
  const expected = ({
    access,
    requires_shipping_address: ships,
    has_shipping_address: has,
    tier,
  }: (typeof queries)[0]) =>
    stored.filter((member) => {
      const own = tiers.find(({ id }) => id === member.tier_id);
      return (
        (access ?? hasAccess(member)) === hasAccess(member) &&
        (ships ?? own?.requires_shipping_address) === own?.requires_shipping_address &&
        (has ?? member.shipping_address !== null) === (member.shipping_address !== null) &&
        (tier === undefined || own === tiers[tier])
      );
    });
  const queryOf = ({ tier, ...query }: (typeof queries)[0]) => ({
    ...Object.fromEntries(Object.entries(query).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag]]))),
    ...(tier !== undefined && { tier_id: tiers[tier]?.id ?? 0 }),
  });

  it("each combination of the filters by access, address and tier has the matching members, on full pages", async () => {
    for (const query of queries)
      for (const sort of ["created_at", "-created_at"]) {
        const pages = await walk(shop, { ...queryOf(query), sort, per: 5 });
        const found = ids(expected(query));
        const inOrder = sort === "created_at" ? found.toReversed() : found;
        const isFull = pages.slice(0, -1).every(({ length }) => length === 5);
        expect({ query, ids: pages.flat(), isFull }).toEqual({ query, ids: inOrder, isFull: true });
      }
  });

  it.each([
    ["status", { status: "canceled" }, (member: StoredMember) => member.status === "canceled"],
    ["a block", { is_blocked: true }, (member: StoredMember) => member.is_blocked],
    ["no block", { is_blocked: false }, (member: StoredMember) => !member.is_blocked],
    ["a search", { query: "ana", sort: undefined }, () => true],
  ])("the filters by access and address can be combined with %s", async (_, query, isWanted) => {
    const one = { access: false, requires_shipping_address: true, has_shipping_address: false, tier: undefined };
    const found = await walk(shop, { ...queryOf(one), ...JSON.parse(JSON.stringify(query)), per: 3 });
    expect(found.flat().toSorted((a, b) => b - a)).toEqual(ids(expected(one).filter(isWanted)));
  });

  it("is_canceling lists the members who have access until the scheduled end of their subscription", async () => {
    const own = await aCommunity(api.table);
    const ends = { cancel_at: "2026-12-03T09:30:00.000Z" };
    const leaving = [
      await aMember(api.table, own, ends),
      await aMember(api.table, own, { ...ends, status: "past_due", cancel_at_period_end: true }),
    ];
    const others = [
      await aMember(api.table, own, {}),
      await aMember(api.table, own, { ...ends, is_blocked: true }),
      await aMember(api.table, own, { ...ends, status: "canceled" }),
    ];
    expect((await walk(own, { is_canceling: true, per: 1 })).flat()).toEqual(ids(leaving));
    expect((await walk(own, { is_canceling: false, per: 1 })).flat()).toEqual(ids(others));
    expect((await walk(own, { is_canceling: true, status: "past_due" })).flat()).toEqual(ids(leaving.slice(1)));
    expect((await walk(own, { is_canceling: true, access: false })).flat()).toEqual([]);
    await api.settled(own.id);
    expect((await page(own, {})).body.total).toBe(5);
    for (const is_canceling of [true, false]) expect((await page(own, { is_canceling })).body.total).toBeNull();
  });

  it("a list that is read further than another one skips no members of the other", async () => {
    const own = await aCommunity(api.table);
    const sparse = await aTier(api.table, own.id);
    const add = (status: "canceled" | "unpaid", tier_id: number) => aMember(api.table, own, { status, tier_id });
    await add("unpaid", sparse.id);
    await add("unpaid", sparse.id);
    const canceled = [await add("canceled", own.tier.id), await add("canceled", own.tier.id)];
    await add("unpaid", own.tier.id);
    await add("unpaid", own.tier.id);
    await add("unpaid", sparse.id);
    expect((await walk(own, { access: false, status: "canceled", per: 1 })).flat()).toEqual(ids(canceled));
  });

  it("a tier that changes whether it requires an address moves its members to the other list at once", async () => {
    const params = { id: tiers[2]?.id ?? 0 };
    const set = (requires_shipping_address: boolean) =>
      api.call(updateTier, { as: admin, params, body: { tier: { requires_shipping_address } } });
    const query = { access: true, requires_shipping_address: true };
    const before = (await walk(shop, query)).flat();
    expect((await set(false)).status).toBe(200);
    const ofTier = ids(stored.filter(({ tier_id }) => tier_id === params.id));
    expect((await walk(shop, query)).flat()).toEqual(before.filter((id) => !ofTier.includes(id)));
    expect((await set(true)).status).toBe(200);
    expect((await walk(shop, query)).flat()).toEqual(before);
  });
});
