import type Stripe from "stripe";
import { handler as createTier } from "../../../functions/tiers/create.ts";
import { atStripe, subscriptionsOf } from "../world/dashboard.ts";
import { membersOf } from "../world/records.ts";
import { stripeClient } from "../world/stripe-client.ts";
import type { Act, Repertoire } from "./act.ts";
import { members } from "./members.ts";
import { noteWrite } from "./owners-communities.ts";
import type { Scene } from "./scene.ts";

/** The live subscription of somebody, with their member. */
function subscribed({ chance, world }: Scene) {
  const live = subscriptionsOf(world).filter(({ status }) => !["canceled", "incomplete_expired"].includes(status));
  const subscription = chance.pick(live);
  const member = membersOf(world).find(({ stripe_subscription_id: id }) => id === subscription?.id);
  return subscription && member && { subscription, member };
}

/** Changes somebody's subscription as the dashboard does. */
const changing =
  (changeOf: (scene: Scene, of: { readonly communityId: number }) => object | Promise<object | undefined>): Act =>
  async (scene) => {
    const { world } = scene;
    const found = subscribed(scene);
    const change = found && (await changeOf(scene, { communityId: found.member.community_id }));
    if (!change) return;
    const status = await atStripe(world, `subscriptions/${found.subscription.id}`, change);
    world.journal.note(`dashboard changes ${found.subscription.id} ${JSON.stringify(change)}: ${status}`);
  };

const intervals = [
  { interval: "year" },
  { interval: "week" },
  { interval: "month", interval_count: 3 },
  { interval: "week", interval_count: 2 },
  { interval: "month" },
] as const satisfies Stripe.PriceCreateParams.Recurring[];

/** A price of a tier for another interval, as somebody makes it in the dashboard. */
async function otherPrice(scene: Scene, communityId: number): Promise<string | undefined> {
  const { chance } = scene;
  const tier = chance.pick(scene.tiers(communityId).filter(({ stripe_price_id }) => stripe_price_id));
  if (!tier?.stripe_price_id) return undefined;
  const { product, metadata } = await stripeClient.prices.retrieve(tier.stripe_price_id);
  if (typeof product !== "string") return undefined;
  const { id } = await stripeClient.prices.create({
    product,
    currency: "usd",
    unit_amount: chance.integer(100, 30_000),
    recurring: chance.pick(intervals) ?? { interval: "year" },
    metadata,
  });
  return id;
}

const startTrials: Act = async (scene) => {
  const { chance, name } = scene;
  const community = scene.community();
  const tier = {
    name: `Tier ${name}`,
    monthly_price_dollars: chance.integer(1, 60),
    trial_days: chance.pick([1, 3, 14, 30, 90]) ?? 14,
  };
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  const outcome = await scene.call(createTier, { ...call, body: { tier } });
  noteWrite(scene, "tier", outcome.body.id, { exists: true, ...tier }, outcome);
};

const banks: Act = async ({ chance, world }) => {
  const faults = {
    decline: chance.integer(0, 6),
    after_retries: chance.pick(["canceled", "unpaid", "past_due"]),
    settle_days: chance.pick([0, 0, 0, 5]),
  };
  await atStripe(world, "faults", faults);
  world.journal.note(`banks ${JSON.stringify(faults)}`);
};

/** What happens to subscriptions in the course of months. Only histories of that pace have it. */
export const subscribers: Repertoire = {
  weight: 0,
  acts: {
    join: [8, async (scene) => members.acts.join?.[1](scene)],
    banks: [5, banks],
    startTrials: [2, startTrials],
    changeInterval: [
      4,
      changing(async (scene, { communityId }) => {
        const price = await otherPrice(scene, communityId);
        const starts_in_days = scene.chance.pick([0, 0, 10, 45]);
        return price === undefined ? undefined : { schedule: { phases: [{ price, starts_in_days }] } };
      }),
    ],
    discount: [
      4,
      changing(({ chance }) => {
        const duration_in_months = chance.integer(1, 6);
        const off = chance.is(0.5) ? { percent_off: chance.integer(1, 100) } : { amount_off: chance.integer(1, 3000) };
        return { coupon: { ...off, duration: "repeating", duration_in_months } };
      }),
    ],
    pause: [2, changing(() => ({ pause_collection: { behavior: "void" } }))],
    resume: [3, changing(() => ({ pause_collection: null }))],
  },
};
