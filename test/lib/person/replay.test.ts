import { describe, expect, it } from "vitest";
import { billingOf } from "#lib/billing/stripe.ts";
import type { PersonalData } from "#lib/domain/personal-data.ts";
import { replay } from "#lib/person/erasure.ts";
import type { Outside } from "#lib/person/outside.ts";
import { handler as exportData } from "../../../functions/users/data.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow } from "../../support/clock.ts";
import { allItems, restore } from "../../support/copies.ts";
import { aMarkedPerson, itemsAt, type Marked, markersIn, sumsOf } from "../../support/money/marked.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const inPath = ({ user }: Marked) => ({ params: { id: user.id } });
const exportOf = async (marked: Marked) => (await money.call(exportData, inPath(marked))).body as PersonalData;
const erase = (marked: Marked) => money.call(erasing(money.outside), { ...inPath(marked), body: { dry_run: false } });
const replayOf = (userId: number, outside: Outside = money.outside) => {
  const billing = billingOf(async () => money.stripe)(() => 60_000);
  return replay({ table: money.table, billing, now: new Date(), outside }, userId);
};

describe("an erasure in a table that was restored from a copy made before it", () => {
  it("a replayed erasure in a restored table removes all personal data and keeps the sums", async () => {
    const marked = await aMarkedPerson(money);
    const copy = await allItems(money.client, money.name);
    const before = await exportOf(marked);
    expect((await erase(marked)).status).toBe(200);
    await restore(money.client, money.name, copy);
    expect(markersIn(marked, await exportOf(marked))).toEqual(marked.markers);

    expect([...money.recorded]).toEqual([marked.user.id]);
    expect(await replayOf(marked.user.id)).toBe("erased");
    expect(markersIn(marked, await exportOf(marked))).toEqual([]);
    const later = await itemsAt(money, fromNow({ hours: 48 }));
    expect(later.filter((item) => markersIn(marked, item).length > 0)).toEqual([]);
    expect(sumsOf(await exportOf(marked))).toEqual(sumsOf(before));
    expect(await replayOf(marked.user.id)).toBe("already_erased");
  });

  it("a replayed erasure deletes no account with which the person has signed up again", async () => {
    const marked = await aMarkedPerson(money);
    const copy = await allItems(money.client, money.name);
    await erase(marked);
    const deleted = [...money.deletedAccounts];
    await restore(money.client, money.name, copy);
    // The first account is gone, so that the pool finds the second one by the address.
    await replayOf(marked.user.id, { ...money.outside, accountOf: async () => "second-account" });
    expect([...money.deletedAccounts]).toEqual(deleted);
  });

  it("a replayed erasure is resumed in a copy that was made during the erasure", async () => {
    const marked = await aMarkedPerson(money);
    let calls = 0;
    await money.withFault(
      (moment) => {
        if (moment === "before" && ++calls > 30) throw new Error("The function has ended");
      },
      () => erase(marked),
    );
    expect(await replayOf(marked.user.id)).toBe("erased");
    const later = await itemsAt(money, fromNow({ hours: 48 }));
    expect(later.filter((item) => markersIn(marked, item).length > 0)).toEqual([]);
  });

  it("a replayed erasure of a person who is not in the copy does nothing", async () => {
    expect(await replayOf(987654321)).toBe("unknown");
  });
});
