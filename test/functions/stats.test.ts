import { beforeAll, describe, expect, it } from "vitest";
import { series, show, stats } from "#lib/contract/communities.ts";
import { list } from "#lib/contract/members.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, aTier, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();

let community: GivenCommunity;
let patron: number;
beforeAll(async () => {
  const { table } = api;
  community = await aCommunity(table);
  patron = (
    await aTier(table, community.id, {
      position: 2,
      monthly_price_dollars: 90.5,
      name: "Patron",
      requires_shipping_address: true,
    })
  ).id;
  const refund = { refund_id: "re_1", charge_id: "ch_1", reason: "unspecified", note: null, issued_by: null } as const;
  await aMember(table, community, { first_granted_at: daysAgo(3), monthly_cents: 2_500 });
  const late = { status: "past_due", tier_id: patron, monthly_cents: 4_321 } as const;
  await aMember(table, community, { first_granted_at: daysAgo(29), ...late });
  await aMember(table, community, { first_granted_at: daysAgo(1), status: "trialing" });
  await aMember(table, community, { first_granted_at: daysAgo(30), is_blocked: true });
  await aMember(table, community, { first_granted_at: daysAgo(90), status: "canceled", ended_at: daysAgo(2) });
  await aMember(table, community, { first_granted_at: daysAgo(90), status: "canceled", ended_at: daysAgo(40) });
  await aMember(table, community, { status: "canceled", ended_at: daysAgo(2) });
  await aMember(table, community, {
    status: "unpaid",
    refunds: [
      { ...refund, amount_cents: 100, status: "succeeded", issued_at: daysAgo(2) },
      { ...refund, amount_cents: 20, status: "pending", issued_at: daysAgo(2) },
      { ...refund, amount_cents: 3, status: "failed", issued_at: daysAgo(2) },
      { ...refund, amount_cents: 4, status: "succeeded", issued_at: daysAgo(31) },
    ],
  });
  await api.settled(community.id);
});

const inCommunity = () => ({ as: community.owner, params: { community_id: community.id } });

describe("the stats of a community", () => {
  it("the stats of a community count members, money, and joins and departures in 30 days", async () => {
    const { status, body } = await api.call(stats, inCommunity());
    expect(status).toBe(200);
    expect(body).toEqual({
      total: 8,
      member_count: 3,
      blocked: 1,
      by_status: { active: 2, trialing: 1, past_due: 1, unpaid: 1, canceled: 3, incomplete: 0 },
      by_tier: [
        { id: community.tier.id, name: "Barrel Owner", total: 7, member_count: 2 },
        { id: patron, name: "Patron", total: 1, member_count: 1 },
      ],
      monthly_recurring_revenue_cents: 2_500 + 4_321,
      movements_30d: {
        start_cents: 0,
        new: { cents: 2_500 + 4_321, members: 2 },
        reactivated: { cents: 0, members: 0 },
        expansion: { cents: 0, members: 0 },
        contraction: { cents: 0, members: 0 },
        churned: { cents: 0, members: 0 },
        end_cents: 2_500 + 4_321,
      },
      churn_rate_30d: null,
      joined_in_30_days: 3,
      left_in_30_days: 1,
      refunded_in_30_days_cents: 120,
      received_this_month_cents: 0,
      disputed_in_30_days_cents: 0,
    });
  });

  it("only the owner and admins can read the stats of a community", async () => {
    const { params } = inCommunity();
    expect((await api.call(stats, { as: admin, params })).status).toBe(200);
    expect((await api.call(stats, { as: { id: 999 }, params })).status).toBe(403);
    expect((await api.call(stats, { params })).status).toBe(401);
    expect((await api.call(stats, { as: admin, params: { community_id: 999 } })).status).toBe(404);
  });

  it("a series has a point for each period, and its last point equals the current figures", async () => {
    const today = daysAgo(0).slice(0, 10);
    const of = async (query: Record<string, string>) => (await api.call(series, { ...inCommunity(), query })).body;
    const members = await of({ metric: "members" });
    expect(members).toMatchObject({ metric: "members", interval: "day", unit: "members" });
    expect(members.points).toHaveLength(30);
    expect(members.points.at(0)).toEqual({ at: daysAgo(29).slice(0, 10), value: 0 });
    expect(members.points.at(-1)).toEqual({ at: today, value: 3 });
    const mrr = await of({ metric: "mrr", interval: "month" });
    expect(mrr).toMatchObject({ unit: "cents" });
    expect(mrr.points).toHaveLength(12);
    expect(mrr.points.at(-1)).toEqual({ at: `${today.slice(0, 7)}-01`, value: 2_500 + 4_321 });
    const joined = await of({ metric: "joined", interval: "week" });
    expect(joined.points).toHaveLength(12);
    expect(joined.points.at(-1)?.value).toBe(3);
    expect(new Date(joined.points.at(-1)?.at ?? "").getUTCDay()).toBe(1);
    const refunded = await of({ metric: "refunded", from: daysAgo(31).slice(0, 10), to: today });
    expect(refunded.points.filter(({ value }) => value !== 0)).toEqual([
      { at: daysAgo(31).slice(0, 10), value: 4 },
      { at: daysAgo(2).slice(0, 10), value: 120 },
    ]);
  });

  it("series of any interval omit payments and refunds from before the community was created", async () => {
    const [before, from] = ["2026-03-09", "2026-03-11"];
    const young = await aCommunity(api.table, { created_at: `${from}T10:00:00.000Z` });
    const refund = {
      refund_id: "re_old",
      charge_id: "ch_old",
      reason: "unspecified",
      note: null,
      issued_by: null,
    } as const;
    await aMember(api.table, young, {
      paid_cents_by_day: { "2025-12-24": 100, [before]: 20, [from]: 3 },
      older_refunds_cents: { "2025-12-25": 50 },
      refunds: [
        { ...refund, amount_cents: 7, status: "succeeded", issued_at: `${before}T09:00:00.000Z` },
        { ...refund, amount_cents: 1, status: "succeeded", issued_at: `${from}T09:00:00.000Z` },
      ],
    });
    await api.settled(young.id);
    const told = async (query: Record<string, string>) => {
      const call = { as: admin, params: { community_id: young.id } };
      const { body } = await api.call(series, { ...call, query: { from: "2025-12-01", to: "2026-03-31", ...query } });
      return body.points.filter(({ value }) => value !== 0);
    };
    for (const [interval, at] of [
      ["day", from],
      ["week", "2026-03-09"],
      ["month", "2026-03-01"],
    ] as const) {
      expect(await told({ metric: "gross", interval })).toEqual([{ at, value: 3 }]);
      expect(await told({ metric: "refunded", interval })).toEqual([{ at, value: 1 }]);
    }
  });

  it.each<[Record<string, string>, string, string]>([
    [{}, "metric", "required"],
    [{ metric: "churn" }, "metric", "not_one_of"],
    [{ metric: "mrr", interval: "year" }, "interval", "not_one_of"],
    [{ metric: "mrr", from: "2026-02-30" }, "from", "invalid_format"],
    [{ metric: "mrr", to: "22.11.2026" }, "to", "invalid_format"],
    [{ metric: "mrr", from: "2026-02-02", to: "2026-02-01" }, "to", "conflicts"],
    [{ metric: "mrr", from: "2025-01-01", to: "2026-02-05" }, "from", "too_many"],
  ])("a series of %j is refused", async (query, parameter, code) => {
    const path = `/odis/v1/communities/${community.id}/stats/series?${new URLSearchParams(query).toString()}`;
    const response = await api.send(path, { headers: { authorization: `Bearer ${await api.tokenOf(admin)}` } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: "validation_failed", errors: [{ parameter, code }] });
  });

  it("a series has at most 400 points, and only the owner and admins can read it", async () => {
    const { params } = inCommunity();
    const query = { metric: "gross", from: "2025-01-01", to: "2026-02-04" };
    expect((await api.call(series, { as: admin, params, query })).body.points).toHaveLength(400);
    expect((await api.call(series, { as: { id: 999 }, params, query })).status).toBe(403);
    expect((await api.call(series, { params, query })).status).toBe(401);
  });

  it("the stats show what was received this month and what disputes have cost in 30 days", async () => {
    const shop = await aCommunity(api.table, { created_at: daysAgo(400) });
    const today = daysAgo(0).slice(0, 10);
    const first = `${today.slice(0, 7)}-01`;
    await aMember(api.table, shop, {
      paid_cents_by_day: { [daysAgo(60).slice(0, 10)]: 7, [first]: 300, ...(first === today ? {} : { [today]: 50 }) },
      disputed_cents_by_day: {
        [daysAgo(31).slice(0, 10)]: 5,
        [daysAgo(3).slice(0, 10)]: 90,
        [daysAgo(1).slice(0, 10)]: -20,
      },
    });
    await api.settled(shop.id);
    const params = { community_id: shop.id };
    const { body } = await api.call(stats, { as: admin, params });
    expect(body).toMatchObject({
      received_this_month_cents: first === today ? 300 : 350,
      disputed_in_30_days_cents: 70,
    });
    const disputed = await api.call(series, { as: admin, params, query: { metric: "disputed" } });
    expect(disputed.body).toMatchObject({ unit: "cents" });
    expect(disputed.body.points.slice(-4).map(({ value }) => value)).toEqual([90, 0, -20, 0]);
  });

  it("the stats of a community are all zero if nothing has been counted yet", async () => {
    const { id, tier } = await aCommunity(api.table);
    await write(api.table, [{ delete: keys.stats(id) }]);
    const { body } = await api.call(stats, { as: admin, params: { community_id: id } });
    expect(body).toMatchObject({ total: 0, member_count: 0, by_tier: [{ id: tier.id, total: 0 }] });
  });
});

it.each([
  [{}, 8],
  [{ status: "canceled" }, 3],
  [{ is_blocked: true }, 1],
  [{ status: "active", is_blocked: false }, 1],
  [{ status: "past_due", is_blocked: true }, 0],
  [{ access: true }, 3],
  [{ access: false, status: "canceled" }, 3],
  [{ access: true, requires_shipping_address: false }, 2],
  [{ requires_shipping_address: true }, 1],
  [{ has_shipping_address: false }, null],
  [{ query: "ana" }, null],
])("a list of members by %j has a total of %j", async (query, total) => {
  const { body } = await api.call(list, { ...inCommunity(), query });
  expect(body.total).toBe(total);
  if (total !== null) expect(body.data).toHaveLength(total);
});

it("the total of members by tier, status and block counts those that match all three", async () => {
  const query = { tier_id: community.tier.id, status: "active", is_blocked: true };
  expect((await api.call(list, { ...inCommunity(), query })).body.total).toBe(1);
});

it("a community shows its member_count, and is trending once three people have joined", async () => {
  const { body } = await api.call(show, { as: admin, params: { id: community.id } });
  expect(body).toMatchObject({ member_count: 3, trending: true });
});
