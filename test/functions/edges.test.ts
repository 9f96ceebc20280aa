import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, it } from "vitest";
import { directoryCache } from "#lib/discovery/directory.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { itemOf, membershipOf, type StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { handler as listMembers } from "../../functions/members/list.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as updateMember } from "../../functions/members/update.ts";
import { admin } from "../support/api.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember, memberOf } from "../support/given.ts";

const test = startTable();

const call = (endpoint: Endpoint, given: Call) => invoke(endpoint, test.platform(), { as: admin, ...given });

/** Performs an action `count` times, some of them concurrently. */
async function times(count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const next = async () => {
    for (const n of numbers) await act(n);
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

const widest = "\u{1F943}";
const day = 86_400_000;

/** The largest allowed member: the maximum number of refunds with notes, and ten years of older refunds. */
const heaviest = (): Partial<StoredMember> => ({
  notes: widest.repeat(5000),
  custom: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key ${n}`, "x".repeat(300)])),
  shipping_address: {
    name: widest.repeat(200),
    line1: widest.repeat(200),
    line2: widest.repeat(200),
    city: widest.repeat(200),
    state: widest.repeat(200),
    postal_code: widest.repeat(200),
    phone: widest.repeat(200),
    country: "MX",
  },
  refunds: Array.from({ length: 100 }, (_, n) => ({
    refund_id: `re_${n}`,
    charge_id: `ch_${n}`,
    amount_cents: 1,
    reason: "requested_by_customer" as const,
    status: "succeeded" as const,
    note: widest.repeat(500),
    issued_at: "2026-11-01T00:00:00.000Z",
    issued_by: 1,
  })),
  older_refunds_cents: Object.fromEntries(
    Array.from({ length: 3650 }, (_, n) => [new Date(n * day).toISOString().slice(0, 10), 1_000_000]),
  ),
});

describe("records at the limits", () => {
  it("the largest member that the limits allow fits into an item of 400 KB, and can be read, listed and edited", async () => {
    const community = await aCommunity(test.table);
    const member = await aMember(test.table, community, heaviest());
    const wire = JSON.stringify(marshall(itemOf(member), { removeUndefinedValues: true }));
    expect(Buffer.byteLength(wire)).toBeGreaterThan(300_000);

    const params = { community_id: community.id, id: member.id };
    expect(await call(showMember, { params })).toMatchObject({ status: 200, body: { id: member.id } });
    const body = { member: { metadata: { "key 0": "changed" } } };
    expect(await call(updateMember, { params, body })).toMatchObject({
      status: 200,
      body: { metadata: { "key 0": "changed", notes: widest.repeat(5000) } },
    });
    expect(await call(listMembers, { params: { community_id: community.id } })).toMatchObject({
      status: 200,
      body: { data: [{ id: member.id }] },
    });
  });

  it("explore with filter=my_communities returns all 500 communities of a person", async () => {
    const user = { id: 4242 };
    await times(500, async () => {
      const community = await aCommunity(test.table, { name: "Five Hundred" });
      await write(test.table, [{ put: membershipOf(memberOf(community, { user })) }]);
    });
    const explore = exploring(directoryCache());
    const ask = (query: string) => call(explore, { query: `filter=my_communities&per=100${query}`, as: user });
    const found = new Set<unknown>();
    for (let page = 1; page <= 5; page++) {
      const { status, body } = await ask(`&page=${page}`);
      expect({ status, total: body?.total }).toEqual({ status: 200, total: 500 });
      for (const { id, is_member } of (body ?? {}).data as { id: string; is_member: boolean }[])
        if (is_member) found.add(id);
    }
    expect(found.size).toBe(500);
  });
});
