import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { Billing } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import * as customers from "#lib/store/customers.ts";
import { Conflict } from "#lib/store/failure.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { anAddress } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const address = (line1: string) => anAddress({ name: "Ana Ruiz", line1 });

const edit = (member: StoredMember, line1: string | null) => {
  const shipping_address = line1 === null ? null : address(line1);
  return money.call(update, { ...forMember(member), body: { member: { shipping_address } } });
};

const linkOf = ({ id, community_id, user, stripe_customer_id }: StoredMember) => ({
  customer_id: stripe_customer_id ?? "",
  community_id,
  member_id: id,
  user_id: user.id,
});

/** Sets the address only at Stripe, like the dashboard, without delivering the event. */
async function moveAtStripe(member: StoredMember, line1: string): Promise<Stripe.Customer> {
  const { name, phone: _, ...rest } = address(line1);
  return money.stripe.customers.update(member.stripe_customer_id ?? "", { shipping: { name, address: rest } });
}

/** Synchronizes, with an action between the responses of Stripe and the write. */
async function syncAround(member: StoredMember, act: () => Promise<unknown>): Promise<void> {
  const billing = money.platform().billing?.(() => 20_000) as Billing;
  let calls = 0;
  const slow: Billing = async (ask, key) => {
    const answer = await billing(ask, key);
    // A synchronization reads subscriptions and charges in parallel.
    if (++calls === 1) await act();
    return answer;
  };
  await syncMember({ table: money.table, billing: slow, now: new Date() }, linkOf(member));
}

it("an edited address is stored with the customer of the latest checkout, before the record has that customer", async () => {
  const member = await money.aSubscriber(community);
  await money.call(cancel, { ...forMember(member), body: { mode: "immediately" } });
  await money.stripe.customers.del(member.stripe_customer_id ?? "");
  await money.openCheckout(community, member.user);
  const replaced = (await customers.find(money.table, member.user.id, community.id))?.customer_id ?? "";
  expect(replaced).not.toBe(member.stripe_customer_id);
  expect(await edit(await money.memberNow(member), "Calle 12")).toMatchObject({ status: 200 });
  expect(await money.stripe.customers.retrieve(replaced)).toMatchObject({
    shipping: { address: { line1: "Calle 12" } },
  });
});

it("an address from before the first checkout is kept and copied to the new Stripe customer", async () => {
  const user = await money.aPerson();
  const outcome = await money.importMember(community, { user, status: "canceled" });
  const imported = await members.find(money.table, community.id, outcome?.id ?? 0);
  if (!imported) throw new Error("The member was not imported");
  expect(await edit(imported, "Calle 9")).toMatchObject({ status: 200 });
  const { body } = await money.openCheckout(community, user);
  await money.complete(body?.url);
  await money.deliverAll();

  const member = await money.memberNow(imported);
  expect(member.shipping_address?.line1).toBe("Calle 9");
  const customer = await money.stripe.customers.retrieve(member.stripe_customer_id ?? "");
  expect(customer).toMatchObject({ shipping: { name: "Ana Ruiz", address: { line1: "Calle 9" } } });
});

it.each([
  ["whose recipient is empty", "canceled", ""],
  ["with a recipient", "canceled", "Ana Ruiz"],
])("an imported address %s is kept by a checkout, and copied to Stripe with a recipient", async (_, status, name) => {
  const user = await money.aPerson();
  const { id = 0 } =
    (await money.importMember(community, { user, status, shipping_address: anAddress({ name, line1: "Calle 9" }) })) ??
    {};
  const { body } = await money.openCheckout(community, user);
  await money.complete(body?.url);
  await money.deliverAll();

  const member = await money.memberNow({ community_id: community.id, id } as StoredMember);
  const recipient = name || member.user.username;
  expect(member.shipping_address).toEqual(anAddress({ name: recipient, line1: "Calle 9" }));
  const customer = await money.stripe.customers.retrieve(member.stripe_customer_id ?? "");
  expect(customer).toMatchObject({ shipping: { name: recipient, address: { line1: "Calle 9" } } });
});

it("the phone of an address is copied to Stripe and from Stripe, and an address without one removes it", async () => {
  const member = await money.aSubscriber(community);
  const customer = member.stripe_customer_id ?? "";
  const { phone: _, ...unnumbered } = address("Calle 7");
  const store = (phone: object) =>
    money.call(update, {
      ...forMember(member),
      body: { member: { shipping_address: { ...unnumbered, ...phone } } },
    });
  const phoneAtStripe = async () => {
    const found = await money.stripe.customers.retrieve(customer);
    return found.deleted ? undefined : found.shipping?.phone;
  };
  expect((await store({ phone: "+52 951 000 1111" })).status).toBe(200);
  expect(await phoneAtStripe()).toBe("+52 951 000 1111");
  const { name, ...rest } = unnumbered;
  await money.stripe.customers.update(customer, { shipping: { name, phone: "951 2222", address: rest } });
  await syncAround(member, async () => undefined);
  expect((await money.memberNow(member)).shipping_address?.phone).toBe("951 2222");
  expect(await store({})).toMatchObject({ status: 200, body: { shipping_address: { phone: "" } } });
  expect(await phoneAtStripe()).toBeNull();
});

describe("an edited address", () => {
  it.each([
    ["an edit to another address", "New Street 1", null],
    ["the removal of the address", null, null],
    ["an edit to the stored address, when Stripe has another one,", "Old Street 1", "Street at Stripe 1"],
  ])("%s is not overwritten by a synchronization that read Stripe before the edit", async (_, to, atStripe) => {
    const member = await money.aSubscriber(community);
    expect((await edit(member, "Old Street 1")).status).toBe(200);
    if (atStripe !== null) await moveAtStripe(member, atStripe);
    await syncAround(member, async () => expect((await edit(member, to)).status).toBe(200));
    const { shipping_address } = await money.memberNow(member);
    expect(shipping_address?.line1 ?? null).toBe(to);
  });

  it("an edited address is replaced by a newer one at Stripe", async () => {
    const member = await money.aSubscriber(community);
    await edit(member, "New Street 2");
    await syncAround(member, () => moveAtStripe(member, "Stripe Street 2"));
    await syncAround(member, async () => undefined);
    expect((await money.memberNow(member)).shipping_address?.line1).toBe("Stripe Street 2");
  });
});

describe("an address of one who was imported", () => {
  async function imported(): Promise<{ person: { id: number }; member: StoredMember }> {
    const person = await money.aPerson();
    const outcome = await money.importMember(community, { user: person, status: "canceled" });
    const member = await members.find(money.table, community.id, outcome?.id ?? 0);
    if (!member) throw new Error("There is no such member");
    expect((await edit(member, "Imported Street 1")).status).toBe(200);
    return { person, member: await money.memberNow(member) };
  }

  const lineNow = async (member: StoredMember) => (await money.memberNow(member)).shipping_address?.line1;

  it("a member's address is copied to their Stripe customer at the first checkout", async () => {
    const { person, member } = await imported();
    const { body } = await money.openCheckout(community, person);
    await money.complete(body?.url);
    await money.deliverAll();
    expect(await money.memberNow(member)).toMatchObject({ status: "active" });
    expect(await lineNow(member)).toBe("Imported Street 1");
  });

  it("an address that is edited while a checkout is open is copied to the Stripe customer", async () => {
    const { person, member } = await imported();
    const { body } = await money.openCheckout(community, person);
    expect((await edit(member, "New Street 3")).status).toBe(200);
    await money.complete(body?.url);
    await money.deliverAll();
    expect(await lineNow(member)).toBe("New Street 3");
  });

  it("an edit of a member who got a Stripe customer in the meantime is retried, so that it reaches the customer", async () => {
    const { person, member } = await imported();
    const check = customers.isStill(member, await customers.find(money.table, person.id, community.id));
    await money.openCheckout(community, person);
    await expect(write(money.table, [check])).rejects.toThrow(Conflict);
  });

  it("a checkout does not link a Stripe customer whose address was edited after it was copied", async () => {
    const { person, member } = await imported();
    expect((await edit(member, "New Street 4")).status).toBe(200);
    const link = { ...linkOf(member), customer_id: "cus_of_before" };
    const tied = customers.tie(money.table, link, member, undefined);
    await expect(tied).rejects.toThrow(Conflict);
    expect(await customers.find(money.table, person.id, community.id)).toMatchObject({ customer_id: null });
  });
});
