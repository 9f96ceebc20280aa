import { describe, expect, it } from "vitest";
import * as benefits from "#lib/store/benefits.ts";
import { Conflict } from "#lib/store/failure.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aTier, givenBy } from "../../support/given.ts";
import { setUp } from "../../support/set-up.ts";

const test = startTable();
const now = new Date("2026-11-21T12:00:00.000Z");

const community = setUp(() => aCommunity(test.table));

const fields = { name: "Tasting notes", description: "", position: 1, tier_ids: [] };
const stored = (id: number) => benefits.find(test.table, community.id, id);

describe("concurrent writers of benefits", () => {
  it("assigning a benefit to several tiers has no effect if one of them was deleted after the read", async () => {
    const benefit = await aBenefit(test.table, community, { tier_ids: [community.tier.id] });
    const gone = await aTier(test.table, community.id);
    const read = await benefits.open(test.table, community.id);
    await write(test.table, [{ delete: keys.tier(community.id, gone.id) }]);

    const tier_ids = [community.tier.id, gone.id];
    const unknown = { code: "unknown_tier" };
    await expect(benefits.update(test.table, benefit, { tier_ids }, givenBy(now))).rejects.toMatchObject(unknown);
    await expect(benefits.add(test.table, read, { ...fields, tier_ids }, givenBy(now))).rejects.toMatchObject(unknown);
    expect(await stored(benefit.id)).toEqual(benefit);
    expect((await benefits.open(test.table, community.id)).benefits).toHaveLength(read.benefits.length);
  });

  it("an update or removal based on an outdated version of a benefit throws a Conflict", async () => {
    const benefit = await aBenefit(test.table, community);
    const changed = await benefits.update(test.table, benefit, { name: "New" }, givenBy(now));
    await expect(benefits.update(test.table, benefit, { position: 3 }, givenBy(now))).rejects.toThrow(Conflict);
    await expect(benefits.remove(test.table, benefit, givenBy(now))).rejects.toThrow(Conflict);
    expect(await stored(benefit.id)).toEqual(changed);
  });

  it("of two benefits added after the same read of a community, the second throws a Conflict", async () => {
    const read = await benefits.open(test.table, community.id);
    await benefits.add(test.table, read, fields, givenBy(now));
    await expect(benefits.add(test.table, read, fields, givenBy(now))).rejects.toThrow(Conflict);
  });
});

it("a community is read completely if its benefits take more than 1 MB", async () => {
  const place = await aCommunity(test.table);
  for (let n = 0; n < 200; n++) await aBenefitOf(place.id, n);
  const { benefits: all, tiers } = await benefits.open(test.table, place.id);
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  expect(tiers).toHaveLength(1);
});

/** Stores a benefit without reading the others, as 200 large benefits would be read 200 times. */
async function aBenefitOf(community_id: number, n: number): Promise<void> {
  const at = now.toISOString();
  const benefit = { ...fields, id: n + 1, position: n, description: "🥃".repeat(2000), status: "active", version: 1 };
  const put = { ...keys.benefit(community_id, n + 1), ...benefit, community_id, created_at: at, updated_at: at };
  await write(test.table, [{ put, when: "absent" }]);
}
