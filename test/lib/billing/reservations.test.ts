import { describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const day = 86_400_000;

const community = setUp(() => money.aPricedCommunity());

/** Opens a checkout, then opens and pays another one `days` later. @returns the reserved ids and the member */
async function joinAfter(days: number) {
  const person = await money.aPerson();
  const key = keys.customerOf(person.id, community.id);
  await money.openCheckout(community, person);
  const before = await money.table.get(key);
  const reserved_at = new Date(Date.now() - days * day).toISOString();
  await write(money.table, [{ update: key, set: { reserved_at }, when: "exists" }]);
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

  it("a checkout after 30 days reserves a new member id", async () => {
    const { before, after, member } = await joinAfter(31);
    expect(after).toBeGreaterThan(before);
    expect(member).toMatchObject({ id: after, status: "active" });
    expect(await members.find(money.table, community.id, before)).toBeUndefined();
  });
});
