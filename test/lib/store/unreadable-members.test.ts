import { describe, expect, it } from "vitest";
import { rebuild } from "#lib/projections/rebuild.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { list, listForLabels } from "#lib/store/members/list.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";
import { startLog } from "../../support/log.ts";

const test = startTable();
const log = startLog();
const query = { per: 2, sort: "created_at" } as const;

/** A community with three members, of which the second has a status that this version does not know. */
async function communityWithDamage() {
  const community = await aCommunity(test.table);
  const members: StoredMember[] = [];
  for (let n = 0; n < 3; n++) members.push(await aMember(test.table, community));
  const [first, damaged, last] = members.toSorted((a, b) => a.id - b.id) as [StoredMember, StoredMember, StoredMember];
  await write(test.table, [
    { update: keys.member(community.id, damaged.id), set: { status: "Calle Mayor 5" }, when: "exists" },
  ]);
  return { community, first, damaged, last };
}
const idsOf = ({ members }: { readonly members: readonly { readonly id: number }[] }) => members.map(({ id }) => id);
const logged = () => log.lines("error").map(({ kind, id, error }) => ({ kind, id, error }));
const said = (id: number) => ({
  kind: "member",
  id,
  error: expect.objectContaining({ message: `Member ${id} cannot be read: malformed status` }) as object,
});

describe("a member that cannot be read", () => {
  it("the list of members leaves the member out, and logs the id without the value", async () => {
    const { community, first, damaged, last } = await communityWithDamage();
    expect(idsOf(await list(test.table, community.id, query))).toEqual([first.id, last.id]);
    expect(logged()).toEqual([said(damaged.id)]);
    expect(log.secrets()).toEqual([]);
  });

  it("a search finds the other members", async () => {
    const { community, first, damaged } = await communityWithDamage();
    const find = (id: number) => list(test.table, community.id, { ...query, query: String(id) });
    expect(idsOf(await find(damaged.id))).toEqual([]);
    expect(idsOf(await find(first.id))).toEqual([first.id]);
    expect(logged()).toEqual([said(damaged.id)]);
  });

  it("the file of shipping labels is refused with the id, because nobody would miss a label", async () => {
    const { community, damaged } = await communityWithDamage();
    await expect(listForLabels(test.table, community.id, query)).rejects.toThrow(
      `Member ${damaged.id} cannot be read: malformed status`,
    );
  });

  it("a rebuild is refused with the id, because the figures would lack the member", async () => {
    const { community, damaged } = await communityWithDamage();
    await expect(rebuildOf(community)).rejects.toThrow(`Member ${damaged.id} cannot be read: malformed status`);
  });
});

const rebuildOf = ({ id }: GivenCommunity) =>
  rebuild({ table: test.table, now: () => new Date(), pause: async () => {} }, id);
