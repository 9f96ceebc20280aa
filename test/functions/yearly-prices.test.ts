import { beforeAll, describe, expect, it } from "vitest";
import { series, stats } from "#lib/contract/communities.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

const api = startApi();

let community: GivenCommunity;
beforeAll(async () => {
  community = await aCommunity(api.table);
});
const inCommunity = () => ({ as: community.owner, params: { community_id: community.id } });

const create = (tier: object) =>
  api.call(tiers.create, { ...inCommunity(), body: { tier: { name: "Cask", ...tier } } });
const patch = (id: number, tier: object) =>
  api.call(tiers.update, { as: community.owner, params: { id }, body: { tier } });

const notAllowed = {
  status: 422,
  body: { code: "validation_failed", errors: [{ pointer: "/tier/yearly_price_dollars", code: "not_allowed" }] },
};

describe("the yearly price of a tier", () => {
  it("a tier with a yearly price has two prices in Stripe, and only the owner sees their ids", async () => {
    const { status, body } = await create({ monthly_price_dollars: 25, yearly_price_dollars: 250 });
    expect({ status, body }).toMatchObject({ status: 201, body: { yearly_price_dollars: 250 } });
    const { stripe_price_id, yearly_stripe_price_id } = body;
    expect(yearly_stripe_price_id).toMatch(/^price_/);
    expect(yearly_stripe_price_id).not.toBe(stripe_price_id);
    const shown = await api.call(tiers.show, { params: { id: body.id } });
    expect(shown.body).toMatchObject({
      yearly_price_dollars: 250,
      yearly_stripe_price_id: null,
      stripe_price_id: null,
    });
  });

  it("a change of one price creates only that price", async () => {
    const { body: before } = await create({ monthly_price_dollars: 25, yearly_price_dollars: 250 });
    const { body: yearly } = await patch(before.id, { yearly_price_dollars: 240.5 });
    expect(yearly).toMatchObject({ yearly_price_dollars: 240.5, stripe_price_id: before.stripe_price_id });
    expect(yearly.yearly_stripe_price_id).not.toBe(before.yearly_stripe_price_id);
    const { body: monthly } = await patch(before.id, { monthly_price_dollars: 26 });
    expect(monthly).toMatchObject({ yearly_stripe_price_id: yearly.yearly_stripe_price_id });
    expect(monthly.stripe_price_id).not.toBe(before.stripe_price_id);
  });

  it("a yearly price can be added and removed", async () => {
    const { body: monthly } = await create({ monthly_price_dollars: 25 });
    expect(monthly).toMatchObject({ yearly_price_dollars: null, yearly_stripe_price_id: null });
    const { body: both } = await patch(monthly.id, { yearly_price_dollars: 250 });
    expect(both.yearly_stripe_price_id).toMatch(/^price_/);
    const { body: removed } = await patch(monthly.id, { yearly_price_dollars: null });
    expect(removed).toMatchObject({ yearly_price_dollars: null, yearly_stripe_price_id: null });
  });

  it("a free tier has no yearly price", async () => {
    expect(await create({ monthly_price_dollars: 0, yearly_price_dollars: 100 })).toMatchObject(notAllowed);
    const { body: paid } = await create({ monthly_price_dollars: 25, yearly_price_dollars: 250 });
    expect(await patch(paid.id, { monthly_price_dollars: 0 })).toMatchObject(notAllowed);
    const { status } = await patch(paid.id, { monthly_price_dollars: 0, yearly_price_dollars: null });
    expect(status).toBe(200);
    expect(await patch(paid.id, { yearly_price_dollars: 250 })).toMatchObject(notAllowed);
  });

  it.each([
    [0, "too_small"],
    [0.49, "too_small"],
    [250.001, "invalid_format"],
    [1_000_000, "too_large"],
  ])("a yearly price of %j is refused with %s", async (yearly_price_dollars, code) => {
    expect(await create({ monthly_price_dollars: 25, yearly_price_dollars })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/tier/yearly_price_dollars", code }] },
    });
  });
});

describe("the figures of yearly payments", () => {
  const yearly = 10_000 / 12;

  it("three members who pay 100 dollars a year make 25 dollars a month, to the cent", async () => {
    const own = await aCommunity(api.table);
    const joined = { first_granted_at: new Date().toISOString(), monthly_cents: yearly };
    for (const _ of [1, 2, 3]) await aMember(api.table, own, joined);
    await api.settled(own.id);
    const of = { as: admin, params: { community_id: own.id } };
    const { body } = await api.call(stats, of);
    expect(body).toMatchObject({
      monthly_recurring_revenue_cents: 2_500,
      movements_30d: { start_cents: 0, new: { cents: 2_500, members: 3 }, end_cents: 2_500 },
    });
    const { body: line } = await api.call(series, { ...of, query: { metric: "mrr" } });
    expect(line.points.at(-1)?.value).toBe(2_500);
  });

  it("fractions of a cent are rounded only in the response, where the movements add up to the end", async () => {
    const own = await aCommunity(api.table);
    const joined = { first_granted_at: new Date().toISOString(), monthly_cents: yearly };
    await aMember(api.table, own, joined);
    await aMember(api.table, own, {
      ...joined,
      monthly_cents: 5_000 / 12,
      first_paying_at: "2020-01-01T00:00:00.000Z",
    });
    await api.settled(own.id);
    const { body } = await api.call(stats, { as: admin, params: { community_id: own.id } });
    const { start_cents, end_cents, ...movements } = body.movements_30d;
    expect(body.monthly_recurring_revenue_cents).toBe(1_250);
    expect(end_cents).toBe(1_250);
    expect(Object.values(movements).reduce((sum, { cents }) => sum + cents, start_cents)).toBe(end_cents);
  });
});
