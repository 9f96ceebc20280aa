import { beforeAll, describe, expect, it } from "vitest";
import * as activity from "#lib/store/activity.ts";
import * as members from "#lib/store/members/list.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";

const test = startTable();

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type Page = {
  readonly data: readonly { readonly id: number }[];
  readonly next_cursor: string | null;
  readonly bytes: number;
};

/** All pages of a list, each of at most about 4 MB. */
async function walk(page: (cursor: string | undefined) => Promise<Page>): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const { data, next_cursor, bytes } = await page(cursor);
    expect(bytes).toBeLessThan(4.5 * 1024 * 1024);
    expect(data.length).toBeGreaterThan(0);
    ids.push(...data.map(({ id }) => id));
    cursor = next_cursor ?? undefined;
  } while (cursor);
  return ids;
}

describe("a list of records near the size of an item", () => {
  const large = { text: "x".repeat(290_000) };
  let community: GivenCommunity;
  const added: number[] = [];
  beforeAll(async () => {
    community = await aCommunity(test.table);
    for (let n = 0; n < 40; n++) added.push((await aMember(test.table, community, { custom: large })).id);
  });

  it.each([{}, { query: "ana" }, { status: "active" as const, is_blocked: false }])(
    "a list of members near the size limit of an item has pages of about 4 MB and contains everybody: %j",
    async (filters) => {
      const ids = await walk(async (cursor) => {
        const query = { per: 100, cursor, sort: undefined, ...filters };
        const { members: data, next_cursor } = await members.list(test.table, community.id, query);
        return { data, next_cursor, bytes: bytesOf(data) };
      });
      expect(ids.length).toBe(added.length);
      expect(new Set(ids)).toEqual(new Set(added));
    },
  );

  it("the activity of a member contains every audit entry, even if the entries exceed the size of a page", async () => {
    const entry = { action: "edited", actor: activity.byStripe, before: null, after: large } as const;
    for (let n = 0; n < 30; n++)
      await write(test.table, [
        activity.appendAuditEntry(test.table, { id: 7, community_id: 1 }, entry, new Date(1_800_000_000_000 + n)),
      ]);
    const ids = await walk(async (cursor) => {
      const { data, next_cursor, has_more } = await activity.listOfMember(test.table, 7, {
        per: 100,
        cursor,
      });
      expect(has_more).toBe(next_cursor !== null);
      return { data, next_cursor, bytes: bytesOf(data) };
    });
    expect(ids).toHaveLength(30);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });
});
