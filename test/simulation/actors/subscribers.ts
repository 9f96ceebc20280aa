import type Stripe from "stripe";
import { handler as createCommunity } from "../../../functions/communities/create.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import { handler as createTier } from "../../../functions/tiers/create.ts";
import { atStripe, subscriptionsOf } from "../world/dashboard.ts";
import { membersOf } from "../world/records.ts";
import { stripeClient } from "../world/stripe-client.ts";
import type { Act, Repertoire } from "./act.ts";
import { members } from "./members.ts";
import { upgrade } from "./own-changes.ts";
import { noteWrite } from "./owners-communities.ts";
import { admin, type Scene } from "./scene.ts";

/** Picks a live subscription and the community of its member. In pairs, it may be of nobody yet. */
function subscribed(scene: Scene) {
  const { world } = scene;
  const live = subscriptionsOf(world).filter(({ status }) => !["canceled", "incomplete_expired"].includes(status));
  const subscription = scene.pick(live);
  const member = membersOf(world).find(({ stripe_subscription_id: id }) => id === subscription?.id);
  if (!subscription || !(member ?? scene.subject())) return undefined;
  // A subscription that has a price of another community when Odis first reads it is not the member's.
  return { subscription, communityId: member?.community_id ?? Number(subscription.metadata.community_id) };
}

/** Changes a live subscription like the dashboard. */
const changing =
  (changeOf: (scene: Scene, of: { readonly communityId: number }) => object | Promise<object | undefined>): Act =>
  async (scene) => {
    const { world } = scene;
    const found = subscribed(scene);
    const change = found && (await changeOf(scene, found));
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

/** Creates a price of a tier with another interval, like a person in the dashboard. */
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
    trial_days: chance.pick([1, 14, 30, 90]) ?? 14,
  };
  const call = { as: scene.manager(community), params: { community_id: community.id } };
  const outcome = await scene.call(createTier, { ...call, body: { tier } });
  noteWrite(scene, "tier", outcome.body.id, { exists: true, ...tier }, outcome);
};

/** A person subscribes in another system, which Odis does not know. */
const subscribeElsewhere: Act = async (scene) => {
  const { chance, name } = scene;
  const card = "pm_card_visa";
  const { id: price } = await stripeClient.prices.create({
    product_data: { name },
    currency: "usd",
    unit_amount: chance.integer(100, 5000),
    recurring: { interval: chance.pick(["week", "month"]) ?? "month" },
  });
  const { id: customer } = await stripeClient.customers.create({
    email: `${name}@example.com`,
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const subscription = await stripeClient.subscriptions.create({
    customer,
    items: [{ price }],
    metadata: { imported: `elsewhere ${name}` },
  });
  // The acts of a pair are about it.
  scene.pick([subscription]);
};

/** Imports a subscriber of the other system, in most cases into a new community. */
const moveHere: Act = async (scene) => {
  const { chance, name, world } = scene;
  const known = new Set(membersOf(world).map(({ stripe_customer_id }) => stripe_customer_id));
  const found = scene.pick(
    subscriptionsOf(world).filter(
      ({ metadata, customer }) =>
        metadata.imported?.startsWith("elsewhere") && typeof customer === "string" && !known.has(customer),
    ),
  );
  if (!found) return;
  const isNew = !scene.subject() && chance.is(0.7);
  const params = { community_id: isNew ? await newCommunity(scene) : scene.community().id };
  const { body } = await scene.call(createTier, {
    as: admin,
    params,
    body: { tier: { name: `Tier ${name}`, monthly_price_dollars: 5 } },
  });
  const at = (seconds = 0) => new Date(seconds * 1000).toISOString();
  const [item] = found.items.data;
  const record = {
    user: { email: `${found.id}@example.com`, first_name: "Mila", last_name: "Moved" },
    tier_id: body.id,
    status: "active",
    created_at: at(found.created),
    current_period_start: at(item?.current_period_start),
    current_period_end: at(item?.current_period_end),
    lifetime_spend_cents: 0,
    stripe_customer_id: found.customer,
    stripe_subscription_id: found.id,
  };
  await scene.call(importBatch, { as: admin, params, body: { members: [record] } });
};

async function newCommunity(scene: Scene): Promise<number> {
  const community = { name: `Community ${scene.name}`, owner_id: scene.person() };
  const outcome = await scene.call(createCommunity, { as: admin, body: { community } });
  noteWrite(scene, "community", outcome.body.id, community, outcome);
  return Number(outcome.body.id);
}

const banks: Act = async ({ chance, world }) => {
  const faults = {
    decline: chance.integer(0, 6),
    after_retries: chance.pick(["canceled", "unpaid", "past_due"]),
    settle_days: chance.pick([0, 0, 0, 3]),
  };
  await atStripe(world, "faults", faults);
  world.journal.note(`banks ${JSON.stringify(faults)}`);
};

/** Changes of subscriptions in the course of months. Only histories of months have them. */
export const subscribers: Repertoire = {
  weight: 0,
  acts: {
    join: [8, async (scene) => members.acts.join?.[1](scene)],
    upgrade: [14, upgrade],
    subscribeElsewhere: [3, subscribeElsewhere],
    moveHere: [3, moveHere],
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
