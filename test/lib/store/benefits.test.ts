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

const given = { name: "Tasting notes", description: "", position: 1, tier_ids: [] };
const stored = (id: number) => benefits.find(test.table, community.id, id);

describe("what another writer does between the read and the write", () => {
  it("to a tier, by deleting it, assigns the benefit to none", async () => {
    const benefit = await aBenefit(test.table, community, { tier_ids: [community.tier.id] });
    const gone = await aTier(test.table, community.id);
    const read = await benefits.open(test.table, community.id);
    await write(test.table, [{ delete: keys.tier(community.id, gone.id) }]);

    const tier_ids = [community.tier.id, gone.id];
    const unknown = { code: "unknown_tier" };
    await expect(benefits.update(test.table, benefit, { tier_ids }, givenBy(now))).rejects.toMatchObject(unknown);
    await expect(benefits.add(test.table, read, { ...given, tier_ids }, givenBy(now))).rejects.toMatchObject(unknown);
    expect(await stored(benefit.id)).toEqual(benefit);
    expect((await benefits.open(test.table, community.id)).benefits).toHaveLength(read.benefits.length);
  });

  it("to the benefit is not overwritten", async () => {
    const benefit = await aBenefit(test.table, community);
    const changed = await benefits.update(test.table, benefit, { name: "New" }, givenBy(now));
    await expect(benefits.update(test.table, benefit, { position: 3 }, givenBy(now))).rejects.toThrow(Conflict);
    await expect(benefits.remove(test.table, benefit, givenBy(now))).rejects.toThrow(Conflict);
    expect(await stored(benefit.id)).toEqual(changed);
  });

  it("to the community's benefits is counted by who adds one", async () => {
    const read = await benefits.open(test.table, community.id);
    await benefits.add(test.table, read, given, givenBy(now));
    await expect(benefits.add(test.table, read, given, givenBy(now))).rejects.toThrow(Conflict);
  });
});

it("reads a community whose benefits take more than a megabyte", async () => {
  const place = await aCommunity(test.table);
  for (let n = 0; n < 200; n++) await aBenefitOf(place.id, n);
  const { benefits: all, tiers } = await benefits.open(test.table, place.id);
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  expect(tiers).toHaveLength(1);
});

/** Written as it is stored: adding two hundred big ones would read them all two hundred times. */
async function aBenefitOf(community_id: number, n: number): Promise<void> {
  const at = now.toISOString();
  const benefit = { ...given, id: n + 1, position: n, description: "🥃".repeat(2000), status: "active", version: 1 };
  const put = { ...keys.benefit(community_id, n + 1), ...benefit, community_id, created_at: at, updated_at: at };
  await write(test.table, [{ put, when: "absent" }]);
}
