import { list } from "#lib/contract/members.ts";
import { cellsOf, countOf } from "#lib/domain/figures.ts";
import type { MemberListQuery } from "#lib/domain/member-list.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as memberList from "#lib/store/members/list.ts";
import type { OpenCommunity } from "#lib/store/open-community.ts";

export const handler = endpoint(
  list,
  {
    guard: parentCommunity,
    read: ({ params, query, table }) => memberList.list(table, params.community_id, query),
  },
  ({ query, parent, table, read: { members, next_cursor } }) => {
    const data = members.map((member) => toResponse(member, parent, table.runtime));
    return { total: totalOf(parent, query), has_more: next_cursor !== null, next_cursor, data };
  },
);

/** Number of members that match the filters. Null with a text search, whose matches are not counted. */
const totalOf = ({ figures }: OpenCommunity, { query, status, tier_id, is_blocked }: MemberListQuery): number | null =>
  figures && query === undefined ? countOf(cellsOf(figures), { status, tier_id, is_blocked }) : null;
