import { omit } from "valibot";
import { list } from "#lib/contract/members.ts";
import { cellsOf, countOf } from "#lib/domain/figures.ts";
import { Member, type MemberListQuery } from "#lib/domain/member.ts";
import { managesCommunity } from "#lib/guards/communities.ts";
import { csvOf } from "#lib/http/csv.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import type { OpenCommunity } from "#lib/store/communities.ts";
import { present } from "#lib/store/members/item.ts";
import * as memberList from "#lib/store/members/list.ts";

export const handler = endpoint(
  list,
  managesCommunity,
  async ({ params, query, table, parent }) => {
    const [community, { members, next_cursor }] = await Promise.all([
      parent,
      memberList.list(table, params.community_id, query),
    ]);
    const data = members.map((member) => present(member, community));
    return { total: totalOf(community, query), has_more: next_cursor !== null, next_cursor, data };
  },
  { csv: csvOf(omit(Member, ["metadata"])) },
);

/** What matches the filters, as far as it has been counted; who matches a text is not. */
const totalOf = ({ figures }: OpenCommunity, { query, status, tier_id, is_blocked }: MemberListQuery): number | null =>
  figures && query === undefined ? countOf(cellsOf(figures), { status, tier_id, is_blocked }) : null;
