import { expect } from "vitest";
import { list } from "#lib/contract/members.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import type { startApi } from "./api.ts";
import type { GivenCommunity } from "./given.ts";

/** The parameters of a list of members. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Requests for the members of a community, by its owner. */
export function pagesOf(api: ReturnType<typeof startApi>) {
  const page = (community: GivenCommunity, query: Query = {}) =>
    api.call(list, { params: { community_id: community.id }, as: community.owner, query });

  /** The ids on all pages of a list, by its cursors. */
  async function walk(community: GivenCommunity, query: Query = {}): Promise<number[][]> {
    const pages: number[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { status, body } = await page(community, cursor === undefined ? query : { ...query, cursor });
      expect(status).toBe(200);
      expect(body.has_more).toBe(body.next_cursor !== null);
      pages.push(body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    return pages;
  }

  return { page, walk };
}

/** The ids of members, newest first. */
export const ids = (members: readonly StoredMember[]) => members.map(({ id }) => id).toSorted((a, b) => b - a);
