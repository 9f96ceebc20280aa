import { omit } from "valibot";
import { list } from "#lib/contract/members.ts";
import { Member } from "#lib/domain/member.ts";
import { managesCommunity } from "#lib/guards/communities.ts";
import { csvOf } from "#lib/http/csv.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/member-item.ts";
import * as memberList from "#lib/store/member-list.ts";

export const handler = endpoint(
  list,
  managesCommunity,
  async ({ params, query, table, parent }) => {
    const [community, { members, next_cursor }] = await Promise.all([
      parent,
      memberList.list(table, params.community_id, query),
    ]);
    const data = members.map((member) => present(member, community));
    return { total: null, has_more: next_cursor !== null, next_cursor, data };
  },
  { csv: csvOf(omit(Member, ["metadata"])) },
);
