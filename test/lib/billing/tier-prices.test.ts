import { expect, it } from "vitest";
import { handler as create } from "../../../functions/tiers/create.ts";
import { handler as update } from "../../../functions/tiers/update.ts";
import { withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const failure = { fail_next: { count: 1, method: "POST", status: 500, stored: true } };

/** Ways in which Stripe fails a call to create a price, and repeats the failure for the same idempotency key. */
const failures = [
  ["fails", failure, 502],
  ["refuses", { refuse: { code: "account_invalid", path: "/v1/prices" } }, 409],
] as const;

const pricesOf = async (tierId: unknown) =>
  (await money.stripe.prices.list({ product: `odis_tier_${String(tierId)}` })).data;

it.each(failures)("a price of a tier can be set to an amount for which Stripe %s once", async (_, fault, status) => {
  const { tier } = await money.aPricedCommunity();
  const call = { params: { id: tier.id }, body: { tier: { monthly_price_dollars: 30 } } };
  await money.control("faults", fault);
  expect(await money.call(update, call)).toMatchObject({ status });
  expect(await money.call(update, call)).toMatchObject({ status: 200, body: { monthly_price_dollars: 30 } });
  expect((await pricesOf(tier.id)).map(({ unit_amount }) => unit_amount)).toContain(3000);
});

it.each(failures)("a retry creates the tier for which Stripe %s once", async (reason, fault, status) => {
  const { id } = await money.aPricedCommunity();
  const call = {
    params: { community_id: id },
    body: { tier: { name: "Cask", monthly_price_dollars: 9, yearly_price_dollars: 90 } },
    ...withKey(`tier-${reason}`),
  };
  await money.control("faults", fault);
  expect(await money.call(create, call)).toMatchObject({ status });
  expect(await money.call(create, call)).toMatchObject({ status: 201, body: { monthly_price_dollars: 9 } });
});

it("a retry of a tier whose response from Stripe was lost uses the prices of the first attempt", async () => {
  const { id } = await money.aPricedCommunity();
  const call = {
    params: { community_id: id },
    body: { tier: { name: "Cask", monthly_price_dollars: 9, yearly_price_dollars: 90 } },
    ...withKey("tier-lost"),
  };
  await money.control("faults", { fail_next: { count: 6, method: "POST", status: 500, after: true } });
  await money.call(create, call);
  await money.call(create, call);
  await money.control("faults", { fail_next: 0 });
  const { status, body } = await money.call(create, call);
  expect(status).toBe(201);
  const { stripe_price_id, yearly_stripe_price_id } = body as Record<string, unknown>;
  const ids = (await pricesOf(body?.id)).map((price) => price.id);
  expect(new Set(ids)).toEqual(new Set([stripe_price_id, yearly_stripe_price_id]));
  expect(ids).toHaveLength(2);
});

it("an earlier price of the same amount is used again", async () => {
  const { tier } = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
  const set = (dollars: number) =>
    money.call(update, { params: { id: tier.id }, body: { tier: { monthly_price_dollars: dollars } } });
  await set(25);
  expect(await set(10)).toMatchObject({ status: 200, body: { stripe_price_id: tier.stripe_price_id } });
});

const monthly = { interval: "month", interval_count: 1, meter: null, trial_period_days: null, usage_type: "licensed" };

it.each([
  ["of three months", { recurring: { ...monthly, interval_count: 3 } }],
  ["with a trial", { recurring: { ...monthly, trial_period_days: 14 } }],
  ["of a meter", { recurring: { ...monthly, meter: "mtr_1", usage_type: "metered" } }],
  ["of a group of units", { transform_quantity: { divide_by: 10, round: "up" } }],
  ["to which tax is added", { tax_behavior: "exclusive" }],
  ["in euros", { currency: "eur" }],
  ["by the year", { recurring: { ...monthly, interval: "year" } }],
  ["of another tier", { metadata: { tier_id: "1" } }],
] as const)(
  "a price %s, which somebody made in Stripe, is not used for a tier of the same amount",
  async (_, other) => {
    const { id, tier } = await money.aPricedCommunity({ tier: { monthly_price_dollars: 10 } });
    const made = await money.stripe.prices.create({
      product: `odis_tier_${tier.id}`,
      currency: "usd",
      unit_amount: 2500,
      recurring: { interval: "month" },
      metadata: { tier_id: String(tier.id), community_id: String(id) },
    });
    const { lastResponse: _response, ...price } = made;
    money.standIn.act((account) => account.put("price", { ...price, ...other }));
    const call = { params: { id: tier.id }, body: { tier: { monthly_price_dollars: 25 } } };
    const { status, body } = await money.call(update, call);
    expect(status).toBe(200);
    expect(body?.stripe_price_id).not.toBe(made.id);
    expect(await money.stripe.prices.retrieve(String(body?.stripe_price_id))).toMatchObject({
      unit_amount: 2500,
      recurring: monthly,
    });
  },
);
