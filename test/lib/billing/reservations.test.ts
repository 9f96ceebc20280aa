import { afterEach, describe, expect, it } from "vitest";
import { type Key, keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
afterEach(() => money.control("faults", { settle_days: 0 }));
const day = 86_400_000;

const community = setUp(() => money.aPricedCommunity());

/** Makes a reservation older. */
const setBack = (key: Key, days: number) =>
  write(money.table, [
    { update: key, set: { reserved_at: new Date(Date.now() - days * day).toISOString() }, when: "exists" },
  ]);

/** Opens a checkout, then opens and pays another one `days` later. @returns the reserved ids and the member */
async function joinAfter(days: number) {
  const person = await money.aPerson();
  const key = keys.customerOf(person.id, community.id);
  await money.openCheckout(community, person);
  const before = await money.table.get(key);
  await setBack(key, days);
  const { body } = await money.openCheckout(community, person);
  await money.complete(body?.url);
  await money.deliverAll();
  const after = await money.table.get(key);
  const member = await members.find(money.table, community.id, Number(after?.member_id));
  return { before: Number(before?.member_id), after: Number(after?.member_id), member };
}

describe("an id that a checkout has reserved", () => {
  it("a member who joins within 30 days has the id that their checkout reserved", async () => {
    const { before, after, member } = await joinAfter(29);
    expect(after).toBe(before);
    expect(member).toMatchObject({ id: before, status: "active" });
  });

  it("a reserved id is nobody else's until the last checkout that can use it has expired", async () => {
    const person = await money.aPerson();
    await money.openCheckout(community, person);
    const { member_id } = (await money.table.get(keys.customerOf(person.id, community.id))) ?? {};
    const reserved = await money.table.get(keys.reservedMember(Number(member_id)));
    // A checkout keeps the id for 30 days, and its session is open for another day.
    expect(Number(reserved?.expires_at) * 1000).toBeGreaterThan(Date.now() + 31 * day - 60_000);
  });

  it("a checkout after 30 days reserves a new member id", async () => {
    const { before, after, member } = await joinAfter(31);
    expect(after).toBeGreaterThan(before);
    expect(member).toMatchObject({ id: after, status: "active" });
    expect(await members.find(money.table, community.id, before)).toBeUndefined();
  });

  it("is kept after 30 days if it was paid a moment ago", async () => {
    const person = await money.aPerson();
    const key = keys.customerOf(person.id, community.id);
    const { body } = await money.openCheckout(community, person);
    await setBack(key, 31);
    await money.complete(body?.url);
    await money.openCheckout(community, person);
    await money.deliverAll();
    const { member_id } = (await money.table.get(key)) ?? {};
    expect(await members.find(money.table, community.id, Number(member_id))).toMatchObject({ status: "active" });
  });

  it("is kept after 30 days while the payment of a canceled subscription has not settled, which is then refunded", async () => {
    const other = await money.aPricedCommunity();
    const person = await money.aPerson();
    const key = keys.customerOf(person.id, other.id);
    await money.control("faults", { settle_days: 4 });
    const { body } = await money.openCheckout(other, person);
    const tier = await money.aPricedTier(other);
    const updated_at = new Date(Date.now() - 60_000).toISOString();
    const archived = { status: "archived", updated_at };
    await write(money.table, [{ update: keys.tier(other.id, other.tier.id), set: archived, when: "exists" }]);
    await money.complete(body?.url);
    await money.deliverAll();
    await money.control("faults", { settle_days: 0 });
    await setBack(key, 31);
    expect(await money.openCheckout({ ...other, tier }, person)).toMatchObject({ status: 201 });
    await money.control("advance", { days: 5 });
    await money.deliverAll();
    const { customer_id } = (await money.table.get(key)) ?? {};
    expect(await money.chargesOf(String(customer_id))).toMatchObject([{ amount: 2500, amount_refunded: 2500 }]);
  });
});
