import { list } from "#lib/contract/members.ts";
import { isMember } from "#lib/domain/access.ts";
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

/** Number of members that match the filters. Null with a search or by address, which are not counted. */
function totalOf({ figures, tiers }: OpenCommunity, query: MemberListQuery): number | null {
  const { status, tier_id, is_blocked, access, requires_shipping_address: isRequired } = query;
  if (!figures || query.query !== undefined || query.has_shipping_address !== undefined) return null;
  const tierIds = tiers.filter((tier) => tier.requires_shipping_address === isRequired).map(({ id }) => id);
  const cells = cellsOf(figures)
    .filter((cell) => access === undefined || isMember(cell) === access)
    .filter((cell) => isRequired === undefined || tierIds.includes(cell.tier_id));
  return countOf(cells, { status, tier_id, is_blocked });
}
