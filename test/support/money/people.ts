import type Stripe from "stripe";
import { createProductAndPrices } from "#lib/billing/catalog.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import type { Mount } from "#lib/http/handler.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import type { Writer } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import { subOf } from "../../../tools/local/users.ts";
import { admin } from "../api.ts";
import { invoke } from "../direct.ts";
import { aCommunity, aTier, type GivenCommunity } from "../given.ts";

/** Origin to which checkout may redirect. */
export const origin = "http://127.0.0.1:3000";

type Surroundings = {
  readonly table: Writer;
  readonly stripe: Stripe;
  readonly platform: (over?: Partial<Mount>) => Mount;
  readonly complete: (page: unknown) => Promise<Response>;
  readonly deliverAll: () => Promise<void>;
};

/** Communities with prices, and their customers. */
export function people({ table, stripe, platform, complete, deliverAll }: Surroundings) {
  /** Gives the tier of a community a price at Stripe. */
  async function price(community: GivenCommunity): Promise<GivenCommunity> {
    const billing = billingOf(async () => stripe)(() => 20_000);
    const priceIds = await createProductAndPrices(billing, community.id, community.tier);
    const key = keys.tier(community.id, community.tier.id);
    await write(table, [{ update: key, set: priceIds, when: "exists" }]);
    return { ...community, tier: { ...community.tier, ...priceIds } };
  }

  /** A person with a profile. */
  async function aPerson(): Promise<{ id: number }> {
    const user = users.newUser(
      { sub: "", username: `p${Math.random()}`, email: "p@example.com" },
      new Date(),
      Math.random,
    );
    await users.add(table, { ...user, sub: subOf(user.id) });
    return { id: user.id };
  }

  /** Opens a checkout as the person, without completing it. */
  const openCheckout = (
    community: GivenCommunity,
    person: { id: number },
    interval?: "month" | "year",
    over?: Partial<Mount>,
  ) =>
    invoke(createSession, platform(over), {
      params: { community_id: community.id },
      as: person,
      body: { tier_id: community.tier.id, interval, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
    });

  return {
    price,
    aPerson,
    openCheckout,

    /** Another tier of a community, with prices at Stripe. */
    async aPricedTier(community: GivenCommunity, over: Parameters<typeof aTier>[2] = {}) {
      const tier = await aTier(table, community.id, { position: 2, ...over });
      return (await price({ ...community, tier })).tier;
    },

    /** A community whose tier has a price at Stripe. */
    aPricedCommunity: async (over: Parameters<typeof aCommunity>[1] = {}): Promise<GivenCommunity> =>
      price(await aCommunity(table, over)),

    /** A member who has joined through checkout. */
    async aSubscriber(community: GivenCommunity, interval?: "month" | "year"): Promise<StoredMember> {
      const person = await aPerson();
      const { body } = await openCheckout(community, person, interval);
      await complete(body?.url);
      await deliverAll();
      const item = await table.get(keys.customerOf(person.id, community.id));
      const member = await members.find(table, community.id, Number(item?.member_id));
      if (!member) throw new Error("There is no member after a checkout");
      return member;
    },

    /**
     * Another subscription of a member, as if a second checkout had been completed.
     *
     * @param operation makes several of them differ
     */
    async anotherSubscription(
      { id, stripe_customer_id }: StoredMember,
      { tier }: GivenCommunity,
      operation = "second",
    ): Promise<Stripe.Subscription> {
      const customer = stripe_customer_id ?? "";
      const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
      return stripe.subscriptions.create({
        customer,
        items: [{ price: tier.stripe_price_id ?? "" }],
        default_payment_method: card,
        metadata: { member_id: String(id), operation_id: `op_${operation}_${id}` },
      });
    },

    /** Opens an operation again that is done. */
    async reopen({ id: member_id }: StoredMember, operation_id: string): Promise<void> {
      const key = keys.operation(member_id, operation_id);
      const { created_at } = (await table.get(key)) ?? {};
      const open = { kind: "operation", operation_id, member_id };
      await write(table, [
        { update: key, set: { state: "open" }, when: "exists" },
        { put: { ...keys.openOperation(String(created_at), operation_id), ...open } },
      ]);
    },

    /** Imports a record and returns its outcome. Default end of the period: 1 November 2026. */
    async importMember(community: GivenCommunity, record: object) {
      const defaults = {
        tier_id: community.tier.id,
        created_at: "2025-05-01T00:00:00.000Z",
        current_period_start: "2026-10-01T00:00:00.000Z",
        current_period_end: "2026-11-01T00:00:00.000Z",
      };
      const { body } = await invoke(importBatch, platform(), {
        params: { community_id: community.id },
        as: admin,
        body: { members: [{ ...defaults, ...record }] },
      });
      const [outcome] = (body as { data: { id?: number; outcome: string }[] }).data;
      return outcome;
    },

    /** A member as stored now. */
    async memberNow({ community_id, id }: StoredMember): Promise<StoredMember> {
      const member = await members.find(table, community_id, id);
      if (!member) throw new Error("There is no such member");
      return member;
    },
  };
}
