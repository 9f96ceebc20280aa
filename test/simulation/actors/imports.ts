import type Stripe from "stripe";
import { MemberStatus } from "#lib/values/member-status.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import { subscriptionsOf } from "../world/dashboard.ts";
import { membersOf, ofKind, tiersOf } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import { stripeClient } from "../world/stripe-client.ts";
import type { World } from "../world/world.ts";
import type { Repertoire } from "./act.ts";
import { addressOf, entry, hasForbidden } from "./editing.ts";
import { admin, type Scene } from "./scene.ts";

type Outcome = {
  readonly index: number;
  readonly id: number | null;
  readonly outcome: string;
  readonly errors?: readonly { readonly code: string }[];
};
type Imported = { readonly data: readonly Outcome[] };

/** Creates a record from another system. Its person may already exist. */
function recordOf(scene: Scene, tier_id: number, n: number): Record<string, unknown> {
  const { chance, name } = scene;
  const id = scene.person();
  // The address of a member who was imported by email address is that of their record, until somebody changes it.
  const isImported = membersOf(scene.world).some(
    ({ user, imported }) => user.id === id && (imported?.address_hashes ?? []).length > 0,
  );
  const user =
    chance.is(0.3) && !isImported
      ? { id }
      : { email: `${chance.is(0.3) ? "same" : name}-${n}@example.com`, first_name: "Iris", last_name: "Imported" };
  const month = chance.integer(1, 12);
  const later = (days: number) => new Date(scene.world.startedAt + days * 86_400_000).toISOString();
  const from = `2025-${String(month).padStart(2, "0")}-01T00:00:00.000Z`;
  return {
    // Each id is drawn once.
    ...(chance.is(0.3) && { id: chance.integer(1, 10 ** 12) }),
    user,
    tier_id,
    status: chance.pick(MemberStatus.options.filter((status) => status !== "incomplete")),
    created_at: from,
    current_period_start: from,
    current_period_end: chance.pick([from, later(15), later(27)]),
    lifetime_spend_cents: chance.integer(0, 5000),
    ...(chance.is(0.1) && { is_blocked: true }),
    ...(chance.is(0.4) && { shipping_address: { ...addressOf(`${name} ${n}`), name: chance.pick(["", "Iris"]) } }),
    ...(chance.is(0.5) && { metadata: { notes: `imported by ${name}`, b: 1, a: [name] } }),
    ...(chance.is(0.05) && { metadata: entry(chance.pick(["constructor", "__proto__"]) ?? "", "kept") }),
  };
}

/** Creates a Stripe customer with a subscription of another system, or with two that an import cannot distinguish. */
async function atStripe(scene: Scene, price: string | null): Promise<Record<string, unknown>> {
  if (price === null) return {};
  const card = "pm_card_visa";
  const { id: customer } = await stripeClient.customers.create({
    email: `${scene.name}@example.com`,
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const subscribe = () =>
    stripeClient.subscriptions.create({ customer, items: [{ price }], metadata: { imported: scene.name } });
  const subscription = await subscribe();
  // The other act of a pair is about this subscription.
  const first = scene.pick([subscription]) ?? subscription;
  const { id } = first;
  const isNamed = scene.chance.is(0.6);
  // An import finds only live subscriptions without their ids. Somebody may pay this one before.
  const unlabelIncomplete = async ({ id: found, status }: Pick<typeof first, "id" | "status">) => {
    const metadata = { imported: "", was_incomplete: scene.name };
    if (status === "incomplete") await stripeClient.subscriptions.update(found, { metadata });
  };
  if (!isNamed) await unlabelIncomplete(first);
  if (!isNamed && scene.chance.is(0.3)) await unlabelIncomplete(await subscribe());
  return {
    lifetime_spend_cents: 0,
    stripe_customer_id: customer,
    ...(isNamed && { stripe_subscription_id: id }),
  };
}

/** Whether a record names a customer with several live subscriptions of the community, but no subscription. */
function isAmbiguous(world: World, communityId: number, record: Record<string, unknown>): boolean {
  const { stripe_customer_id: customer, stripe_subscription_id: subscription } = record;
  if (typeof customer !== "string" || subscription !== undefined) return false;
  const tiers = tiersOf(world).filter(({ community_id }) => community_id === communityId);
  const isOurs = ({ status, items }: Stripe.Subscription) =>
    status === "active" &&
    items.data.some(({ price }) => tiers.some(({ id }) => String(id) === price.metadata.tier_id));
  return subscriptionsOf(world, customer).filter(isOurs).length > 1;
}

/** Whether the person of a member is being erased, or was. A record with their address is of another person then. */
function isErased(world: World, memberId: unknown): boolean {
  const member = membersOf(world).find(({ id }) => id === memberId);
  return ofKind(world, "erasure").some(({ user_id }) => user_id === member?.user.id);
}

export const importers: Repertoire = {
  weight: 6,
  acts: {
    import: [
      5,
      async (scene) => {
        const { chance, world } = scene;
        const community = scene.community();
        const tier = scene.tier(community.id);
        if (!tier) return;
        const members = Array.from({ length: chance.integer(1, 4) }, (_, n) => recordOf(scene, tier.id, n));
        const [first] = members;
        if (first && chance.is(scene.subject() ? 0.6 : 0.2))
          Object.assign(first, await atStripe(scene, tier.stripe_price_id));
        const ambiguous: unknown[] = members.filter((record) => isAmbiguous(world, community.id, record));
        const call = { as: admin, params: { community_id: community.id }, body: { members } };
        // A run that was killed may still be writing while the next one sends the same records.
        const [outcome, other] = await Promise.all([
          scene.call(importBatch, call),
          chance.is(0.2) ? scene.call(importBatch, call) : undefined,
        ]);
        for (const one of [outcome, other])
          for (const { index, errors = [] } of one && isOk(one) ? (one.body as unknown as Imported).data : [])
            if (errors.some(({ code }) => code === "id_taken") && !isErased(world, members[index]?.id))
              world.violate("imports", `record ${index} of ${scene.name} was refused for an id that only it has`);
        if (!isOk(outcome)) return;
        for (const { index, id, outcome: done } of (outcome.body as unknown as Imported).data) {
          const record = members[index] ?? {};
          const { metadata } = record;
          // One of the subscriptions may have been canceled, or moved to another community, since.
          if (done === "created" && ambiguous.includes(record) && isAmbiguous(world, community.id, record))
            world.violate("imports", `member ${id} was imported with several subscriptions`);
          if (hasForbidden(metadata) && done !== "refused")
            world.violate("forbidden keys", `an import took metadata ${JSON.stringify(metadata)}`);
          if (id === null || done !== "created") continue;
          const { user, shipping_address } = record as {
            readonly user: { readonly email?: string };
            readonly shipping_address?: { readonly name: string };
          };
          world.acknowledged.write({ kind: "member", id, field: "exists" }, true, outcome);
          // Other imports may replace the address of a person who is not of this one alone. A checkout adds a recipient.
          if (user.email?.startsWith(`${scene.name}-`) && shipping_address?.name)
            world.acknowledged.write({ kind: "member", id, field: "shipping_address" }, shipping_address, outcome);
        }
        if (chance.is(0.3)) await scene.call(importBatch, call);
      },
    ],
  },
};
