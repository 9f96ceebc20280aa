import { beforeAll, describe, expect, it } from "vitest";
import { type Key, keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

const importing = (record: object) => money.importMember(community, record);

/** A person who subscribed in another system to what is here a tier: Stripe knows them, and we do not. */
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

  it("an import takes the member id that the person's open checkout has reserved", async () => {
    const person = await money.aPerson();
    await money.openCheckout(community, person);
    const reserved = await money.table.get(keys.customerOf(person.id, community.id));
    expect(await importing({ id: 45, user: person, status: "canceled" })).toMatchObject({
      errors: [{ code: "other_member" }],
    });
    expect(await importing({ user: person, status: "canceled" })).toMatchObject({
      id: reserved?.member_id,
      outcome: "created",
    });
  });
});
