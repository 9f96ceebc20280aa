import { expect } from "vitest";
import { list } from "#lib/contract/members.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import type { startApi } from "./api.ts";
import { pagesOf } from "./every-page.ts";
import type { GivenCommunity } from "./given.ts";

/** The parameters of a list of members. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Requests for the members of a community, by its owner. */
export function memberPagesOf(api: ReturnType<typeof startApi>) {
  const page = (community: GivenCommunity, query: Query = {}) =>
    api.call(list, { params: { community_id: community.id }, as: community.owner, query });

  /** The ids on all pages of a list, by its cursors. */
  async function walk(community: GivenCommunity, query: Query = {}): Promise<number[][]> {
    const pages = await pagesOf(async (cursor) => {
      const { status, body } = await page(community, { ...query, ...(cursor !== undefined && { cursor }) });
      expect(status).toBe(200);
      return body;
    });
    return pages.map((members) => members.map(({ id }) => id));
  }

  return { page, walk };
}

/** The ids of members, newest first. */
export const ids = (members: readonly StoredMember[]) => members.map(({ id }) => id).toSorted((a, b) => b - a);
