import { beforeAll, expect, it, vi } from "vitest";
import { listForLabels } from "#lib/store/members/list.ts";
import type { IndexReader, QueryInput } from "#lib/store/table.ts";
import { anAddress, memberOf } from "../../support/given.ts";

const member = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never);

beforeAll(() => void vi.stubEnv("CURSOR_KEY", "test cursors are signed with this"));

/** A table with one list of members, of which a query returns at most 700, as it returns at most a megabyte. */
function tableWith(count: number, over: object = {}): IndexReader {
  const sortKey = (id: number) => String(id).padStart(6, "0");
  return {
    async query({ after, limit = 0 }: QueryInput) {
      const first = after ? Number(after.sk) + 1 : 1;
      const end = Math.min(count, first + Math.min(700, limit) - 1);
      const items = Array.from({ length: end - first + 1 }, (_, n) => ({
        ...member,
        ...over,
        id: first + n,
        sk: sortKey(first + n),
      }));
      return { items, read: items.length, last: end < count ? { pk: "", sk: sortKey(end) } : undefined };
    },
  } as unknown as IndexReader;
}

const query = { per: 20, sort: "created_at", columns: "labels" } as const;

it.each([
  [5000, [5000]],
  [5001, [5000, 1]],
  [10_001, [5000, 5000, 1]],
])("the labels of %i members are in files of up to 5,000 rows", async (count, sizes) => {
  const table = tableWith(count);
  const ids: number[] = [];
  const files: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listForLabels(table, 1, { ...query, ...(cursor !== undefined && { cursor }) });
    files.push(page.members.length);
    ids.push(...page.members.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(files).toEqual(sizes);
  expect(new Set(ids).size).toBe(count);
});

it("only what labels show of a member is kept in memory", async () => {
  const { members } = await listForLabels(tableWith(1), 1, query);
  expect(Object.keys(members[0] ?? {})).toEqual(["id", "tier_id", "user", "shipping_address"]);
});

it("the labels have no name and no address of a person who is marked as erased and not swept yet", async () => {
  const table = tableWith(1, { erased_at: "2026-11-01T00:00:00.000Z", shipping_address: anAddress() });
  const { members } = await listForLabels(table, 1, query);
  expect(members).toMatchObject([{ user: { first_name: "", last_name: "", email: "" }, shipping_address: null }]);
});
