import type Stripe from "stripe";
import * as portal from "stripe-stand-in/core/portal";
import {
  atStripe,
  chargesOf,
  customerOf,
  invoicesOf,
  portalSessions,
  refundsOf,
  subscriptionsOf,
} from "../world/dashboard.ts";
import { membersOf } from "../world/records.ts";
import { stripeClient } from "../world/stripe-client.ts";
import type { Act, Repertoire } from "./act.ts";
import { isRead, replaceCustomer } from "./replaced-customer.ts";
import { prepare, type Scene, tried } from "./scene.ts";

const isLive = ({ status }: Stripe.Subscription): boolean => !["canceled", "incomplete_expired"].includes(status);

const aSubscription = (scene: Scene): Stripe.Subscription | undefined =>
  scene.pick(subscriptionsOf(scene.world).filter(isLive));

const paidCharge = (scene: Scene): Stripe.Charge | undefined =>
  scene.pick(chargesOf(scene.world).filter(({ status }) => status === "succeeded"));

const control =
  (path: string, body: (scene: Scene) => object | undefined): Act =>
  async (scene) => {
    const given = body(scene);
    if (given)
      scene.world.journal.note(
        `dashboard ${path} ${JSON.stringify(given)}: ${await atStripe(scene.world, path, given)}`,
      );
  };

/** Refunds one charge of a known member cent by cent in the dashboard. */
const refundManyTimes: Act = async (scene) => {
  const charge = paidCharge(scene);
  const count = scene.chance.integer(58, 75);
  const isKnown = membersOf(scene.world).some(({ stripe_customer_id: id }) => id !== null && id === charge?.customer);
  // The events of a new member omit refunds that do not fit into one transaction.
  if (!charge || !isKnown || charge.amount_captured - charge.amount_refunded < 100) return;
  for (let n = 0; n < count; n++) await atStripe(scene.world, "refund", { charge: charge.id, amount: 1 });
  scene.world.journal.note(`dashboard refunds ${charge.id} ${count} times`);
};

/** Changes a subscription twice within a second. The event of the first change is delivered twice. */
const changeTwice: Act = async (scene) => {
  const { chance, world } = scene;
  const id = aSubscription(scene)?.id;
  if (!id) return;
  world.repeatedEvents.add(id);
  for (const quantity of [2, 3]) {
    await control(`subscriptions/${id}`, () => ({ quantity }))(scene);
    await world.timeline.wait(500 * chance.next());
  }
};

/** Moves a subscription to another price, in a pair to that of an unused tier, and may remove its metadata, as the dashboard or a support tool can. */
const changePlan: Act = async (scene) => {
  const { world } = scene;
  const subscription = aSubscription(scene);
  if (!subscription) return;
  const member = membersOf(world).find(({ stripe_subscription_id }) => stripe_subscription_id === subscription.id);
  // A subscription that has a foreign price when Odis first reads it is not the member's.
  const isForeign = scene.chance.is(0.2) && isRead(world, subscription.customer as string);
  const communityId = isForeign ? scene.community().id : (member?.community_id ?? 0);
  // The webhook about it may be lost, so that the other act of a pair learns of it first.
  if (scene.subject() && scene.chance.is(0.4)) await atStripe(world, "faults", { drop: 1 });
  const tiers = scene.tiers(communityId).filter(({ stripe_price_id }) => stripe_price_id);
  const unused = scene.subject() ? tiers.filter(({ in_use }) => !in_use) : [];
  const tier = scene.chance.pick(unused.length > 0 ? unused : tiers);
  const item = subscription.items.data[0];
  if (!tier?.stripe_price_id || !item) return;
  const items = [{ id: item.id, price: tier.stripe_price_id }];
  const { member_id } = subscription.metadata;
  scene.world.changedElsewhere.add(subscription.id);
  const metadata = member && member_id && scene.chance.is(0.2) && { member_id: "", was: member_id };
  await tried(world, `${subscription.id} moves to tier ${tier.id}`, () =>
    stripeClient.subscriptions.update(subscription.id, {
      items,
      ...(metadata && { metadata }),
      proration_behavior: "none",
    }),
  );
};

/** Resumes a paused subscription, whose payment is then declined. */
async function leaveUnpaid(scene: Scene): Promise<void> {
  const id = aSubscription(scene)?.id;
  for (const [path, body] of [
    ["faults", { decline: 1 }],
    [`subscriptions/${id}`, { paused: "pause_requested" }],
    [`subscriptions/${id}`, { paused: null }],
  ] as const)
    await atStripe(scene.world, path, body);
}

const onSubscription =
  (what: string, act: (id: string, scene: Scene) => Promise<unknown>): Act =>
  async (scene) => {
    const subscription = aSubscription(scene);
    if (subscription) await tried(scene.world, `${subscription.id} ${what}`, () => act(subscription.id, scene));
  };

export const support: Repertoire = {
  weight: 12,
  acts: {
    refund: [
      6,
      control("refund", (scene) => {
        const charge = paidCharge(scene);
        return charge && { charge: charge.id, amount: scene.chance.integer(1, 2000) };
      }),
    ],
    refundManyTimes: [0.3, refundManyTimes],
    settle: [
      4,
      async (scene) => {
        const refund = scene.pick(refundsOf(scene.world).filter(({ charge }) => typeof charge === "string"));
        if (!refund) return;
        await control(`refunds/${refund.id}`, ({ chance }) => ({ status: chance.pick(["failed", "succeeded"]) }))(
          scene,
        );
      },
    ],
    dispute: [
      2,
      control("disputes", (scene) => {
        const charge = paidCharge(scene);
        const status = scene.chance.pick(["warning_needs_response", "won", "lost", "appeal_under_review"]);
        return charge && { charge: charge.id, status };
      }),
    ],
    changePlan: [6, changePlan],
    changeTwice: [1, changeTwice],
    cancel: [2, onSubscription("is canceled", (id) => stripeClient.subscriptions.cancel(id))],
    cancelAtEnd: [
      2,
      onSubscription("is to end", async (id, { chance, world }) => {
        const isEnding = chance.is(0.8);
        const isLater = isEnding && chance.is(0.3);
        const { cancel_at_period_end } = await stripeClient.subscriptions.retrieve(id);
        const cancel_at = isLater ? Math.floor(world.timeline.now / 1000) + 150 * 86_400 : "";
        const hasOwnEnd = isLater || !(isEnding || cancel_at_period_end);
        await stripeClient.subscriptions.update(id, hasOwnEnd ? { cancel_at } : { cancel_at_period_end: isEnding });
        world.saidAtStripe.push({ subscription: id, isEnding, isLater, at: world.timeline.now });
      }),
    ],
    pendingRefunds: [
      2,
      control("faults", ({ chance }) => ({
        refund_status: chance.pick(["pending", "succeeded", "succeeded"]),
        decline: chance.pick([0, 0, 1, 2]),
        settle_days: chance.pick([0, 0, 0, 2]),
        settle_as: chance.pick(["succeeded", "succeeded", "failed"]),
      })),
    ],
    foreignSubscription: [
      2,
      control("subscriptions", (scene) => {
        const customer = scene.member()?.stripe_customer_id;
        const price = scene.chance.pick(scene.tiers(scene.community().id))?.stripe_price_id;
        return customer && price ? { customer, price } : undefined;
      }),
    ],
    charge: [
      1,
      control("charges", (scene) => {
        const customer = scene.member()?.stripe_customer_id;
        return customer ? { customer, amount: scene.chance.integer(50, 2000) } : undefined;
      }),
    ],
    changeTerms: [
      3,
      async (scene) => {
        const { chance } = scene;
        const id = aSubscription(scene)?.id;
        const terms = chance.pick([
          { quantity: chance.integer(1, 3) },
          { coupon: { percent_off: chance.integer(1, 100), duration: chance.pick(["forever", "once"]) } },
          { coupon: { amount_off: chance.integer(1, 3000), duration: "forever" } },
          { paused: chance.pick(["pause_requested", "final_payment_failure", null, null]) ?? null },
          { pause_collection: chance.pick([{ behavior: "void" }, { behavior: "keep_as_draft" }, null]) ?? null },
          {
            schedule: {
              phases: [
                {
                  price: chance.pick(scene.tiers(scene.community().id))?.stripe_price_id,
                  starts_in_days: chance.pick([0, 0.1, 20]),
                },
              ],
            },
          },
        ]);
        if (id) await control(`subscriptions/${id}`, () => terms)(scene);
      },
    ],
    deleteCustomer: [
      0.5,
      async (scene) => {
        // In a pair, the customer may be one that is being imported.
        const other = scene.subject() && scene.chance.is(0.5) ? aSubscription(scene)?.customer : undefined;
        const id = typeof other === "string" ? other : scene.member()?.stripe_customer_id;
        if (!id || !isRead(scene.world, id)) return;
        const lists = scene.chance.pick(["answered", "refused"]);
        await control("faults", () => ({ deleted_customer_lists: lists }))(scene);
        await control(`customers/${id}`, () => ({ delete: true }))(scene);
      },
    ],
    replaceCustomer: [1, replaceCustomer],
    payElsewhere: [
      1,
      async (scene) => {
        if (scene.subject()) await prepare(scene, () => leaveUnpaid(scene));
        // The debt of a deleted customer no longer belongs to anybody.
        const open = invoicesOf(scene.world).filter(
          ({ status, customer }) => status === "open" && !customerOf(scene.world, customer as string)?.deleted,
        );
        const id = scene.pick(open)?.id;
        if (id) await control(`invoices/${id}`, () => ({ paid_out_of_band: true }))(scene);
      },
    ],
    refuse: [
      2,
      control("refuse", ({ chance }) => {
        const path = chance.pick([undefined, undefined, "/v1/customers/", "/v1/checkout/sessions"]);
        return { code: chance.pick(["charge_disputed", "balance_insufficient"]), ...(path !== undefined && { path }) };
      }),
    ],
    sendAgain: [2, control("deliver", () => ({ dropped: true }))],
  },
};

/** Actions of people on Stripe's hosted pages. */
const inPortal: Act = async (scene) => {
  const { chance, world, name } = scene;
  const session = scene.pick(portalSessions(world));
  if (!session) return;
  const subscription = scene.pick(subscriptionsOf(world, session.customer).filter(isLive));
  const address = { line1: `${name} Lane`, line2: "", city: "Puebla", state: "", postal_code: "72000", country: "MX" };
  const ways = [
    ...(subscription ? (["cancel", "keep"] as const).map((action) => ({ action, subscription: subscription.id })) : []),
    { action: "ship_to" as const, name: "Ana Ruiz", ...address },
    { action: "card" as const, card: "visa" as const },
  ];
  const action = chance.pick(ways);
  if (!action) return;
  await tried(world, `portal ${action.action}`, async () => {
    world.stripe.act((account) => portal.act(account, session.id, action));
    if (!("subscription" in action)) return;
    const isEnding = action.action === "cancel";
    world.saidAtStripe.push({ subscription: action.subscription, isEnding, at: world.timeline.now });
  });
  const member = membersOf(world).find(({ stripe_customer_id }) => stripe_customer_id === session.customer);
  if (action.action === "ship_to" && member)
    world.acknowledged.changedElsewhere(
      { kind: "member", id: member.id, field: "shipping_address" },
      { name: "Ana Ruiz", ...address, phone: "" },
      world.timeline.now,
    );
};

export const portalUsers: Repertoire = { weight: 6, acts: { portal: [1, inPortal] } };
