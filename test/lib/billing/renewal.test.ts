import type Stripe from "stripe";
import { expect, it } from "vitest";
import { renewalOf, type SoldTier } from "#lib/billing/renewal.ts";

const [november, december, january] = ["2026-11-01", "2026-12-01", "2027-01-01"].map((day) => `${day}T00:00:00.000Z`);
const seconds = (time: string | undefined) => Date.parse(String(time)) / 1000;

const tier = (id: number, over: Partial<SoldTier>): SoldTier => ({
  id,
  name: `Tier ${id}`,
  monthly_price_dollars: 25,
  yearly_price_dollars: null,
  requires_shipping_address: false,
  stripe_price_id: `price_${id}`,
  yearly_stripe_price_id: null,
  ...over,
});
const tiers = [
  tier(1, {}),
  tier(2, { monthly_price_dollars: 8.12 }),
  tier(3, { monthly_price_dollars: 19.99, yearly_price_dollars: 199.98, yearly_stripe_price_id: "price_3_year" }),
];

const item = (over: object = {}) => ({
  quantity: 1,
  current_period_start: seconds(november),
  current_period_end: seconds(december),
  price: { id: "price_1", unit_amount: 2500, recurring: { interval: "month", interval_count: 1 } },
  ...over,
});
const subscription = (over: object = {}) =>
  ({
    id: "sub_1",
    status: "active",
    currency: "usd",
    created: seconds(november),
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    trial_start: null,
    trial_end: null,
    pause_collection: null,
    discounts: [],
    items: { data: [item()] },
    schedule: null,
    ...over,
  }) as unknown as Stripe.Subscription;

/** A schedule whose next phase, from December on, has this price. */
const schedule = (price: string, { quantity = 1, at = december, ...over }: Record<string, unknown> = {}) => ({
  schedule: {
    metadata: {},
    current_phase: { start_date: seconds(november), end_date: seconds(december) },
    phases: [
      { start_date: seconds(november), items: [{ price: "price_1", quantity: 1 }] },
      { start_date: seconds(String(at)), items: [{ price, quantity }] },
    ],
    ...over,
  },
});
const plannedBy = (made_by: string, price_id: string) => ({
  metadata: { made_by, price_id, tier_id: "2", interval: "year", cents: "700" },
});

const none = { interval: "month", price_cents: null, scheduled_change: null } as const;
const changeOf = (over: object) => {
  const { price_cents } = over as { price_cents: number };
  return {
    price_cents,
    scheduled_change: { tier: { id: 2, name: "Tier 2" }, interval: "month", at: december, ...over },
  };
};
const unchanged = { price_cents: 2500, scheduled_change: null };

it.each<[string, object, object]>([
  ["the price of a tier in whole cents", schedule("price_2"), changeOf({ price_cents: 812 })],
  [
    "the yearly price of a tier",
    schedule("price_3_year"),
    changeOf({ tier: { id: 3, name: "Tier 3" }, interval: "year", price_cents: 19_998 }),
  ],
  ["a price times a quantity", schedule("price_2", { quantity: 3 }), changeOf({ price_cents: 2436 })],
  ["a price without a quantity", schedule("price_2", { quantity: undefined }), changeOf({ price_cents: 812 })],
  ["a foreign price", schedule("price_9"), unchanged],
  ["the present price", schedule("price_1"), unchanged],
  [
    "a former price of a tier, as Odis has planned it",
    schedule("price_old", plannedBy("odis", "price_old")),
    changeOf({ interval: "year", price_cents: 700 }),
  ],
  [
    "another price than Odis has planned, because somebody changed the phase",
    schedule("price_3", plannedBy("odis", "price_old")),
    changeOf({ tier: { id: 3, name: "Tier 3" }, price_cents: 1999 }),
  ],
  [
    "a former price of a tier, with the metadata of somebody else",
    schedule("price_old", plannedBy("me", "price_old")),
    unchanged,
  ],
  [
    "a price after the next renewal",
    schedule("price_2", { at: january }),
    {
      ...changeOf({ price_cents: 812, at: january }),
      price_cents: 2500,
    },
  ],
  ["a price, and the schedule has ended", schedule("price_2", { current_phase: null }), unchanged],
  ["a price, and the subscription ends before it", { ...schedule("price_2"), cancel_at_period_end: true }, none],
  [
    "a price, while collection is paused",
    { ...schedule("price_2"), pause_collection: {} },
    {
      ...changeOf({ price_cents: 812 }),
      price_cents: null,
    },
  ],
])("the next renewal of a subscription that is scheduled to change to %s is as expected", (_, over, expected) => {
  expect(renewalOf(subscription(over), tiers, none)).toEqual({ interval: "month", ...expected });
});
