import { expect, it, vi } from "vitest";
import { type EventProgress, eventProgress, saveEventProgress } from "#lib/store/due.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { allItems, restore } from "../../support/copies.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

let epoch = 0;

/**
 * Does work, and restores the table to its state before it.
 *
 * @param place where a run of the schedule was then in Stripe's events
 */
async function undone<T>(work: () => Promise<T>, place: Partial<EventProgress> = {}): Promise<T> {
  await money.reconcile();
  const progress = await eventProgress(money.table);
  if (progress) await saveEventProgress(money.table, { ...progress, ...place });
  const copy = await allItems(money.client, money.name);
  const result = await work();
  await restore(money.client, money.name, copy);
  vi.stubEnv("EPOCH", String(++epoch));
  return result;
}

const statusOf = async (id: number) => (await money.table.get(keys.member(community.id, id)))?.status;

async function joining(person: { readonly id: number }, place: GivenCommunity = community): Promise<StoredMember> {
  const { body } = await money.openCheckout(place, person);
  await money.complete(body?.url);
  await money.deliverAll();
  const { member_id } = (await money.table.get(keys.customerOf(person.id, place.id))) ?? {};
  return money.memberNow({ community_id: place.id, id: Number(member_id) } as StoredMember);
}

it("the first run of the schedule after a restore handles the events that Stripe has delivered since", async () => {
  const member = await money.aSubscriber(community);
  await undone(async () => {
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
  });
  expect(await statusOf(member.id)).toBe("active");
  await money.reconcile();
  expect(await statusOf(member.id)).toBe("canceled");
});

it("a restore to a time in the middle of a run also handles the events that are newer than those of the run", async () => {
  const member = await money.aSubscriber(community);
  const { data } = await money.stripe.events.list({ limit: 1 });
  await undone(
    async () => {
      await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
      await money.deliverAll();
    },
    { after: data[0]?.id, newest: data[0]?.created },
  );
  await money.reconcile();
  expect(await statusOf(member.id)).toBe("canceled");
});

it("a person whose first checkout the restored table has lost is a member again", async () => {
  const person = await money.aPerson();
  const lost = await undone(() => joining(person));
  expect(await statusOf(lost.id)).toBeUndefined();
  await money.reconcile();
  expect(await money.memberNow(lost)).toMatchObject({
    status: "active",
    user: { id: person.id },
    stripe_customer_id: lost.stripe_customer_id,
  });
});

it("an imported member whose first checkout the restored table has lost is linked to their customer again", async () => {
  const person = await money.aPerson();
  const record = { user: { id: person.id }, status: "canceled", ended_at: "2026-01-01T00:00:00.000Z" };
  await money.importMember(community, record);
  const lost = await undone(() => joining(person));
  expect(await statusOf(lost.id)).toBe("canceled");
  await money.reconcile();
  expect(await money.memberNow(lost)).toMatchObject({ status: "active", stripe_customer_id: lost.stripe_customer_id });
});

it("the customer of a person who was erased, and customers of other stages and products are not linked", async () => {
  const person = await money.aPerson();
  const elsewhere = await money.aPricedCommunity();
  await undone(async () => {
    await joining(person);
    await joining(person, elsewhere);
    await money.stripe.customers.create({ metadata: { user_id: "no number" } });
  });
  const { pk, sk } = keys.community(elsewhere.id);
  await write(money.table, [
    { delete: { pk, sk } },
    { update: keys.user(person.id), set: { erased_at: "2026-01-01T00:00:00.000Z" }, when: "exists" },
  ]);
  await money.reconcile();
  expect((await users.find(money.table, person.id))?.erased_at).toBeDefined();
  expect(await money.table.get(keys.customerOf(person.id, community.id))).toBeUndefined();
  expect(await money.table.get(keys.customerOf(person.id, elsewhere.id))).toBeUndefined();
});

it("a subscription is not lost silently if the restored table lacks the person", async () => {
  const { id } = await undone(async () => joining(await money.aPerson()));
  await expect(money.reconcile()).rejects.toThrow("events evt_");
  expect(await statusOf(id)).toBeUndefined();
});

it("a subscription is not lost silently if the person has opened another checkout since the restore", async () => {
  const person = await money.aPerson();
  const { id } = await undone(() => joining(person));
  const { id: other } = await joining(person);
  await expect(money.reconcile()).rejects.toThrow("events evt_");
  expect([await statusOf(id), await statusOf(other)]).toEqual([undefined, "active"]);
});

it("a table that was never restored is not searched for lost customers", async () => {
  vi.stubEnv("EPOCH", "0");
  const { stripe_customer_id } = await money.aSubscriber(community);
  await write(money.table, [{ delete: keys.customer(stripe_customer_id ?? "") }]);
  const retrieve = vi.spyOn(money.stripe.customers, "retrieve");
  await money.redeliver(stripe_customer_id ?? "", new Date(0));
  expect(retrieve).not.toHaveBeenCalled();
});
