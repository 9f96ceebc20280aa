import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as customers from "#lib/store/customers.ts";
import * as destinations from "#lib/store/destinations.ts";
import { Conflict } from "#lib/store/failure.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { connect, type Writer } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";
import { startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aDestination, aMember, aTier, givenBy, memberOf } from "../../support/given.ts";

const test = startTable();

/** A table in which all ids of a millisecond are the same. */
const colliding = () => connect(test.client, test.name, { ...machine, random: () => 0.5 })();

type Added = { readonly key: Key; readonly again: () => Promise<unknown> };

const kinds: Readonly<Record<string, (table: Writer) => Promise<Added>>> = {
  async community(table) {
    const { id } = await aCommunity(table);
    return { key: keys.community(id), again: () => aCommunity(table, { id, name: "Another" }) };
  },
  async tier(table) {
    const { id: communityId } = await aCommunity(table);
    const { id } = await aTier(table, communityId);
    return { key: keys.tier(communityId, id), again: () => aTier(table, communityId, { id, name: "Another" }) };
  },
  async benefit(table) {
    const community = await aCommunity(table);
    const benefit = await aBenefit(table, community);
    const by = givenBy(new Date(benefit.created_at));
    const again = async () =>
      benefits.add(colliding(), await benefits.open(table, community.id), { ...benefit, name: "Another" }, by);
    const first = await again();
    return { key: keys.benefit(community.id, first.id), again };
  },
  async destination(table) {
    const community = await aCommunity(table);
    const { id, ...destination } = await aDestination(table, community);
    const again = async () => {
      const open = await benefits.open(table, community.id);
      return destinations.add(table, open, [], { ...destination, id, description: "Another" }, givenBy());
    };
    return { key: keys.destination(community.id, id), again };
  },
  async member(table) {
    const community = await aCommunity(table);
    const { id } = await aMember(table, community);
    return { key: keys.member(community.id, id), again: () => members.add(table, memberOf(community, { id })) };
  },
  async reservedMember(table) {
    const reserveIn = (community: Awaited<ReturnType<typeof aCommunity>>, tierId: number, userId: number) =>
      customers.reserve(table, { userId, communityId: community.id, tierId }, undefined, 4096);
    const [first, second] = [await aCommunity(table), await aCommunity(table)];
    const [firstTier, secondTier] = [await aTier(table, first.id), await aTier(table, second.id)];
    await reserveIn(first, firstTier.id, 1);
    return { key: keys.reservedMember(4096), again: () => reserveIn(second, secondTier.id, 2) };
  },
  async memberParent(table) {
    const community = await aCommunity(table);
    const { id } = await aMember(table, community);
    const tier = await aTier(table, community.id);
    const place = { userId: 3, communityId: community.id, tierId: tier.id };
    return { key: keys.memberParent(id), again: () => customers.reserve(table, place, undefined, id) };
  },
  async user(table) {
    const person = () => ({ sub: randomUUID(), username: "ana" });
    const user = users.newUser(person(), new Date(), () => 0.5);
    await users.add(table, user);
    return { key: keys.user(user.id), again: () => users.add(table, { ...user, ...person(), first_name: "Another" }) };
  },
};

it.each(Object.keys(kinds))("a %s is not stored over another one whose id is drawn again", async (kind) => {
  const added = await kinds[kind]?.(test.table);
  if (!added) throw new Error("There is no such kind");
  const before = await test.table.get(added.key);
  expect(before).toBeDefined();
  await expect(added.again()).rejects.toThrow(Conflict);
  expect(await test.table.get(added.key)).toEqual(before);
});
