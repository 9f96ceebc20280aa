import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { storedEntries } from "#lib/fields/field.ts";
import { tables } from "#lib/fields/tables.ts";
import { exportOf } from "#lib/person/export.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember } from "../../support/given.ts";
import { sampleOf } from "../../support/samples.ts";

const test = startTable();

const sample = (kind: "activity" | "operation" | "refund"): Item =>
  sampleOf(v.object(storedEntries(tables[kind])), { variant: 1 }) as Item;

/** A member of a new community, with a function that stores an item about the member. */
async function aPersonWithItems() {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const put = (item: Item & { readonly pk: string; readonly sk: string }) => write(test.table, [{ put: item }]);
  const exported = async () => {
    const place = { community_id: community.id, member_id: member.id };
    const { memberships } = await exportOf(test.table, member.user as never, [place] as never);
    if (!memberships[0]) throw new Error("The membership is missing");
    return memberships[0];
  };
  return { member, ids: { self: member.user.id, owner: community.owner.id, admin: 987_654_321 }, put, exported };
}

type User = "self" | "owner" | "admin";
const users: readonly (readonly [by: string, role: string, user: User])[] = [
  ["the person", "self", "self"],
  ["the owner", "owner", "owner"],
  ["anybody else", "admin", "admin"],
];

describe("the export of a person names others by role", () => {
  it.each([
    ...users.map(([by, role, user]) => ({ by, role, user, operation: undefined })),
    { by: "an API key", role: "api_key", user: undefined, operation: { api_key_id: 5 } },
    { by: "Stripe, for an operation of nobody", role: "stripe", user: undefined, operation: {} },
    { by: "Stripe's dashboard", role: "stripe", user: undefined, operation: undefined },
  ])("a refund that was issued by $by is exported with the role $role", async ({ role, user, operation }) => {
    const { member, ids, put, exported } = await aPersonWithItems();
    const refund = { ...sample("refund"), refund_id: "re_1", operation_id: operation ? "op_1" : null };
    await put({ ...keys.refund(member.id, "2026", "re_1"), ...refund, issued_by: user ? ids[user] : null });
    if (operation) {
      const { api_key_id: _, ...stored } = sample("operation");
      await put({ ...keys.operation(member.id, "op_1"), ...stored, id: "op_1", actor_id: null, ...operation });
    }
    expect((await exported()).refunds).toMatchObject([{ refund_id: "re_1", issued_by: role }]);
  });

  it.each([
    ...users.map(([by, role, user]) => ({ by, role, user, key: {} })),
    { by: "an API key", role: "api_key", user: undefined, key: { api_key_id: 5 } },
    { by: "nobody", role: "system", user: undefined, key: {} },
  ])("a cancellation that was requested by $by is exported with the role $role", async ({ role, user, key }) => {
    const { member, ids, put, exported } = await aPersonWithItems();
    const { api_key_id: _, ...stored } = sample("operation");
    const actor_id = user ? ids[user] : null;
    await put({ ...keys.operation(member.id, "op_1"), ...stored, id: "op_1", actor_id, ...key });
    expect((await exported()).cancellations).toMatchObject([{ requested_by: role, mode: "at_period_end" }]);
  });

  it.each([
    ...users.map(([by, role, user]) => ({ by, role, user, type: "user" })),
    ...["api_key", "stripe", "system"].map((type) => ({ by: type, role: type, user: undefined, type })),
  ])("an activity entry of $by is exported with the role $role", async ({ role, user, type }) => {
    const { member, ids, put, exported } = await aPersonWithItems();
    const actor = { type, id: user ? ids[user] : null };
    await put({ ...keys.activity(member.id, 7), ...sample("activity"), id: 7, actor });
    expect((await exported()).activity).toMatchObject([{ id: 7, actor: role }]);
  });
});

it.each([
  { entries: 9, listed: 9, hasMore: false },
  { entries: 11, listed: 9, hasMore: true },
])("of $entries activity entries with 320 kB each, the export has $listed, the newest ones", async (row) => {
  const { entries, listed, hasMore } = row;
  const { member, put, exported } = await aPersonWithItems();
  const after = { text: "x".repeat(320_000) };
  for (let id = 1; id <= entries; id++)
    await put({ ...keys.activity(member.id, id), ...sample("activity"), id, before: null, after });
  const { activity, activity_has_more } = await exported();
  expect(activity.map(({ id }) => id)).toEqual(Array.from({ length: listed }, (_, n) => entries - n));
  expect(activity_has_more).toBe(hasMore);
});
