import { describe, expect, it } from "vitest";
import { timeOf } from "#lib/ids.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { anAddress } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const importing = (record: object) => money.importMember(community, record);

/** A person with a subscription at Stripe to a tier's price, who is not a member yet. */
async function aForeignSubscriber(): Promise<StoredMember> {
  const member = await money.aSubscriber(community);
  const { id, user, stripe_customer_id } = member;
  const gone: Key[] = [
    keys.member(community.id, id),
    keys.memberParent(id),
    keys.membership(user.id, community.id),
    keys.customerOf(user.id, community.id),
    keys.customer(stripe_customer_id ?? ""),
  ];
  await write(
    money.table,
    gone.map((key) => ({ delete: key })),
  );
  return member;
}

async function aForeignPrice(): Promise<string> {
  const { id } = await money.stripe.prices.create({
    currency: "usd",
    unit_amount: 3000,
    recurring: { interval: "month" },
    product_data: { name: "Sold by another system" },
  });
  return id;
}

const aRefund = {
  refund_id: "old_1",
  charge_id: "old_charge",
  amount_cents: 700,
  reason: "duplicate",
  status: "succeeded",
  note: null,
  issued_at: "2025-06-01T00:00:00.000Z",
  issued_by: null,
};

/** Starts a subscription of a customer in the dashboard. */
async function subscribe(customer: string | null, price: string): Promise<string> {
  await money.control("subscriptions", { customer, price });
  const [{ id } = { id: "" }] = (await money.stripe.subscriptions.list({ customer: customer ?? "", price })).data;
  return id;
}

describe("imports with a subscription", () => {
  it("an imported member follows Stripe from the next event on, and never counts as joined", async () => {
    const { user, stripe_customer_id, stripe_subscription_id } = await aForeignSubscriber();
    const record = { id: 42, user: { id: user.id }, status: "past_due", stripe_customer_id, stripe_subscription_id };
    expect(await importing(record)).toMatchObject({ id: 42, outcome: "created" });

    await money.control("advance", { days: 31 });
    await money.deliverAll();
    const member = await members.find(money.table, community.id, 42);
    expect(member).toMatchObject({ status: "active", first_granted_at: null, lifetime_spend_cents: 5000 });
    expect(await importing({ ...record, status: "unpaid" })).toMatchObject({ errors: [{ code: "already_a_member" }] });
  });

  it("an imported address is kept until Stripe has one for the customer, and then follows Stripe", async () => {
    const { user, stripe_customer_id } = await aForeignSubscriber();
    const shipping_address = anAddress({ line1: "Calle 9" });
    const record = { user: { id: user.id }, status: "active", stripe_customer_id, shipping_address };
    const { id = 0 } = (await importing(record)) ?? {};
    const addressAfterEvents = async () => {
      await money.control("advance", { days: 31 });
      await money.deliverAll();
      return (await members.find(money.table, community.id, id))?.shipping_address;
    };
    expect(await addressAfterEvents()).toEqual(shipping_address);
    expect(await addressAfterEvents()).toEqual(shipping_address);
    const customer = stripe_customer_id ?? "";
    const address = { line1: "Calle 10", city: "Oaxaca", country: "MX" };
    await money.stripe.customers.update(customer, { shipping: { name: "Ana", address } });
    expect(await addressAfterEvents()).toMatchObject({ name: "Ana", line1: "Calle 10" });
    await money.stripe.customers.update(customer, { shipping: "" });
    expect(await addressAfterEvents()).toBeNull();
  });

  it("the schedule updates an imported member whose period ended long ago, without any event", async () => {
    const { user, stripe_customer_id, stripe_subscription_id } = await aForeignSubscriber();
    const record = { id: 43, user: { id: user.id }, status: "unpaid", stripe_customer_id, stripe_subscription_id };
    await importing({
      ...record,
      current_period_start: "2026-01-01T00:00:00.000Z",
      current_period_end: "2026-02-01T00:00:00.000Z",
    });
    await money.reconcile();
    expect(await members.find(money.table, community.id, 43)).toMatchObject({
      status: "active",
      first_granted_at: null,
    });
  });

  it("an import that names only the customer follows their only live subscription on a price of the community", async () => {
    const { user, stripe_customer_id, stripe_subscription_id } = await aForeignSubscriber();
    await subscribe(stripe_customer_id, await aForeignPrice());
    const record = { id: 46, user: { id: user.id }, status: "active", stripe_customer_id };
    expect(await importing(record)).toMatchObject({ id: 46, outcome: "created" });
    expect(await members.find(money.table, community.id, 46)).toMatchObject({ stripe_subscription_id });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await members.find(money.table, community.id, 46)).toMatchObject({
      stripe_subscription_id,
      lifetime_spend_cents: 5000,
    });
  });

  it("an import that names only the customer is refused if the customer has several possible subscriptions", async () => {
    const { user, stripe_customer_id } = await aForeignSubscriber();
    await subscribe(stripe_customer_id, community.tier.stripe_price_id ?? "");
    expect(await importing({ user: { id: user.id }, status: "active", stripe_customer_id })).toMatchObject({
      outcome: "refused",
      errors: [{ pointer: "/members/0/stripe_subscription_id", code: "ambiguous_subscription" }],
    });
  });

  it("an import of a customer without a subscription to the community links no subscription", async () => {
    const { id } = await money.stripe.customers.create({});
    const foreign = await subscribe(id, await aForeignPrice());
    const person = await money.aPerson();
    const record = { id: 47, user: person, status: "active", stripe_customer_id: id };
    expect(await importing(record)).toMatchObject({ id: 47, outcome: "created" });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await members.find(money.table, community.id, 47)).toMatchObject({
      status: "active",
      stripe_subscription_id: null,
      lifetime_spend_cents: 0,
    });
    expect(await money.stripe.subscriptions.retrieve(foreign)).toMatchObject({ status: "active" });
  });

  it("an import may name a subscription on any price, and blocking the person keeps that subscription", async () => {
    const { id: customer } = await money.stripe.customers.create({});
    const named = await subscribe(customer, await aForeignPrice());
    const person = await money.aPerson();
    const record = { id: 48, user: person, status: "active", stripe_customer_id: customer };
    expect(await importing({ ...record, stripe_subscription_id: named })).toMatchObject({ outcome: "created" });
    const params = { community_id: community.id, id: 48 };
    expect(await money.call(block, { params, body: {} })).toMatchObject({ status: 200 });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    await money.reconcile();
    expect(await money.stripe.subscriptions.retrieve(named)).toMatchObject({ status: "active" });
    expect(await members.find(money.table, community.id, 48)).toMatchObject({
      status: "active",
      is_blocked: true,
      tier_id: community.tier.id,
      lifetime_spend_cents: 6000,
    });
  });

  it("an import that blocks a subscriber can be corrected, also after the schedule has run", async () => {
    const { id: stripe_customer_id } = await money.stripe.customers.create({});
    const stripe_subscription_id = await subscribe(stripe_customer_id, await aForeignPrice());
    await money.deliverAll();
    const ids = { id: 50, stripe_customer_id, stripe_subscription_id };
    const period = { current_period_start: "9998-01-01T00:00:00Z", current_period_end: "9998-02-01T00:00:00Z" };
    const record = { ...ids, user: await money.aPerson(), status: "active", is_blocked: true, ...period };
    expect(await importing(record)).toMatchObject({ outcome: "created" });
    for (const block_reason of ["first", "second"]) {
      expect(await importing({ ...record, block_reason })).toMatchObject({ outcome: "updated" });
      await money.reconcile();
    }
  });

  it("an import of a customer whom Stripe does not know, or who was deleted, is refused", async () => {
    const { id } = await money.stripe.customers.create({});
    await money.stripe.customers.del(id);
    for (const stripe_customer_id of ["cus_typo", id])
      for (const named of [{}, { stripe_subscription_id: "sub_typo" }]) {
        const record = { user: await money.aPerson(), status: "active", stripe_customer_id, ...named };
        expect(await importing(record)).toMatchObject({
          outcome: "refused",
          errors: [{ pointer: "/members/0/stripe_customer_id", code: "unknown_customer" }],
        });
      }
  });

  it("an import with a subscription that is not the customer's is refused", async () => {
    const { id: stripe_customer_id } = await money.stripe.customers.create({});
    const { stripe_subscription_id: others } = await money.aSubscriber(community);
    for (const stripe_subscription_id of ["sub_typo", others])
      expect(
        await importing({ user: await money.aPerson(), status: "active", stripe_customer_id, stripe_subscription_id }),
      ).toMatchObject({
        outcome: "refused",
        errors: [{ pointer: "/members/0/stripe_subscription_id", code: "unknown_reference" }],
      });
  });

  it("an import that names a customer is refused if it also contains sums or refunds", async () => {
    const { id: stripe_customer_id } = await money.stripe.customers.create({});
    const sums = { lifetime_spend_cents: 1, total_refunded_cents: 1, refunds: [aRefund] };
    const outcome = await importing({ user: await money.aPerson(), status: "active", stripe_customer_id, ...sums });
    expect(outcome).toMatchObject({
      errors: Object.keys(sums).map((name) => ({ pointer: `/members/0/${name}`, code: "not_allowed" })),
    });
  });

  it("a repeated import that names another subscription follows only that subscription", async () => {
    const { id: customer } = await money.stripe.customers.create({});
    const price = await aForeignPrice();
    const [first, second] = [await subscribe(customer, price), await subscribe(customer, price)];
    const record = { id: 49, user: await money.aPerson(), status: "active", stripe_customer_id: customer };
    await importing({ ...record, stripe_subscription_id: first });
    expect(await importing({ ...record, stripe_subscription_id: second })).toMatchObject({ outcome: "updated" });
    await money.control("advance", { days: 31 });
    await money.deliverAll();
    expect(await members.find(money.table, community.id, 49)).toMatchObject({
      stripe_subscription_id: second,
      lifetime_spend_cents: 6000,
    });
  });

  it("a repeated import without the customer keeps the subscription, whose payments are the only sums", async () => {
    const { user, stripe_customer_id, stripe_subscription_id } = await aForeignSubscriber();
    const record = { user: { id: user.id }, status: "past_due" };
    await importing({ ...record, stripe_customer_id, stripe_subscription_id });
    for (const [name, value] of [
      ["lifetime_spend_cents", 449],
      ["total_refunded_cents", 449],
      ["refunds", [aRefund]],
    ] as const)
      expect(await importing({ ...record, [name]: value })).toMatchObject({
        outcome: "refused",
        errors: [{ pointer: `/members/0/${name}`, code: "not_allowed" }],
      });
    const outcome = await importing({ ...record, metadata: { notes: "again" } });
    expect(outcome).toMatchObject({ outcome: "updated" });
    await money.control("advance", { days: 40 });
    await money.deliverAll();
    const after = await members.find(money.table, community.id, outcome?.id ?? 0);
    expect(after).toMatchObject({ status: "active", stripe_customer_id, stripe_subscription_id });
    expect(after?.lifetime_spend_cents).toBe(2 * 2500);
  });

  it("an import with the Stripe customer of another member is refused", async () => {
    const { stripe_customer_id } = await money.aSubscriber(community);
    const { id } = await money.aPerson();
    const outcome = await importing({ user: { id }, status: "active", stripe_customer_id });
    expect(outcome).toMatchObject({ outcome: "refused", errors: [{ code: "other_customer" }] });
  });
});

describe("imports without a subscription", () => {
  it("a person who was imported as canceled becomes the same member through checkout, and can cancel", async () => {
    const person = await money.aPerson();
    await importing({ id: 44, user: person, status: "canceled", ended_at: "2025-06-01T00:00:00.000Z" });
    const { body } = await money.openCheckout(community, person);
    await money.complete(body?.url);
    await money.deliverAll();
    expect(await members.find(money.table, community.id, 44)).toMatchObject({
      status: "active",
      user: person,
      first_granted_at: null,
    });
    const request = { ...forMember({ community_id: community.id, id: 44 }), body: { mode: "immediately" } };
    const canceled = await money.call(cancel, request);
    expect(canceled.body).toMatchObject({ status: "canceled" });
  });

  it("an import replaces no address that a checkout has copied to Stripe", async () => {
    const user = await money.aPerson();
    const record = { user, status: "canceled", shipping_address: anAddress({ name: "Ana", line1: "Calle old" }) };
    await importing(record);
    const { body } = await money.openCheckout(community, user);
    const corrected = { ...record, shipping_address: anAddress({ name: "Ana", line1: "Calle new" }) };
    expect(await importing(corrected)).toMatchObject({
      outcome: "refused",
      errors: [{ pointer: "/members/0/shipping_address", code: "already_a_member" }],
    });
    expect(await importing({ ...record, metadata: { notes: "Corrected" } })).toMatchObject({ outcome: "updated" });
    await money.complete(body?.url);
    await money.deliverAll();
  });

  it("an import beside the renewal of a lapsed reservation is of the new member, who gets access for the payment", async () => {
    const person = await money.aPerson();
    const update = keys.customerOf(person.id, community.id);
    await money.openCheckout(community, person);
    const reserved_at = new Date(Date.now() - 31 * 86_400_000).toISOString();
    await write(money.table, [{ update, set: { reserved_at }, when: "exists" }]);
    let url: unknown;
    const imported = await beforeWrite(
      money.table.client,
      async () => {
        url = (await money.openCheckout(community, person)).body?.url;
      },
      () => importing({ user: { id: person.id }, status: "canceled" }),
    );
    expect(imported).toMatchObject({ outcome: "created", id: (await money.table.get(update))?.member_id });
    await money.complete(url);
    await money.deliverAll();
    expect(await members.find(money.table, community.id, imported?.id ?? 0)).toMatchObject({ status: "active" });
  });

  it("an import takes the member id that the person's open checkout has reserved", async () => {
    const person = await money.aPerson();
    await money.openCheckout(community, person);
    const reserved = await money.table.get(keys.customerOf(person.id, community.id));
    expect(await importing({ id: 45, user: person, status: "canceled" })).toMatchObject({
      errors: [{ code: "other_member" }],
    });
    const id = Number(reserved?.member_id);
    expect(await importing({ user: person, status: "canceled" })).toMatchObject({ id, outcome: "created" });
    // Ids and times have one order.
    const { created_at } = (await members.find(money.table, community.id, id)) ?? {};
    expect(created_at).toBe(timeOf(id).toISOString());
  });
});
