import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { atStripe, chargesFor, chargesOf, subscriptionsOf } from "../world/dashboard.ts";
import { membersOf, ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { Act } from "./act.ts";
import { complete } from "./members.ts";
import { actLike, origin } from "./scene.ts";

/**
 * Whether Odis has read all subscriptions of a customer and their charges. Otherwise, payments are lost if Stripe refuses
 * lists by a deleted customer.
 */
export function isRead(world: World, customer: string): boolean {
  const shown = membersOf(world).map(({ stripe_subscription_id }) => stripe_subscription_id);
  const known = new Set<unknown>([
    ...shown,
    ...ofKind(world, "subscription").map(({ subscription_id }) => subscription_id),
    ...ofKind(world, "payment").flatMap(({ charges }) =>
      (charges as readonly { readonly id: string }[]).map(({ id }) => id),
    ),
  ]);
  return subscriptionsOf(world, customer)
    .filter(({ metadata }) => metadata.member_id)
    .every(({ id }) => known.has(id) && chargesFor(world, id).every((charge) => known.has(charge.id)));
}

/**
 * A customer is deleted at Stripe, the person joins again as a new customer, and support refunds a payment of the
 * deleted one.
 */
export const replaceCustomer: Act = async (scene) => {
  const { chance, world } = scene;
  const charge = scene.pick(chargesOf(world).filter(({ status }) => status === "succeeded"));
  const member = membersOf(world).find(({ stripe_customer_id: id }) => id !== null && id === charge?.customer);
  const tier = member && scene.tier(member.community_id);
  // The subscriptions that an import found are unknown once the member has another customer.
  if (!charge || !member?.stripe_customer_id || !tier || member.imported) return;
  if (!isRead(world, member.stripe_customer_id)) return;
  const faults = { deleted_customer_lists: chance.pick(["answered", "refused"]) };
  await atStripe(world, "faults", faults);
  world.journal.note(`dashboard deletes ${member.stripe_customer_id}, lists are ${faults.deleted_customer_lists}`);
  await actLike("support.deleteCustomer", scene, () =>
    atStripe(world, `customers/${member.stripe_customer_id}`, { delete: true }),
  );
  // The other act of a pair is still running.
  await world.timeline.wait(chance.next() * (scene.subject() ? 500 : 120_000));
  const { body } = await scene.call(createSession, {
    as: { id: member.user.id },
    params: { community_id: member.community_id },
    body: { tier_id: tier.id, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
  });
  if (typeof body.id === "string") await complete(scene, body.id);
  await world.timeline.wait(chance.next() * 120_000);
  const amount = chance.integer(1, 500);
  const refund = await actLike("support.refund", scene, () => atStripe(world, "refund", { charge: charge.id, amount }));
  world.journal.note(`dashboard refunds ${charge.id}: ${refund}`);
};
