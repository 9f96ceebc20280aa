import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { list } from "#lib/contract/members.ts";
import { isMember } from "#lib/domain/access.ts";
import { cellsOf, countOf } from "#lib/domain/figures.ts";
import { labelOf } from "#lib/domain/member-label.ts";
import type { MemberListQuery } from "#lib/domain/member-list.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { prefersCsv } from "#lib/http/reply.ts";
import { validationFailed } from "#lib/problem.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as memberList from "#lib/store/members/list.ts";
import type { OpenCommunity } from "#lib/store/open-community.ts";
import { noAddress } from "#lib/values/address.ts";

export const handler = endpoint(
  list,
  {
    guard: parentCommunity,
    read: async ({ params: { community_id }, query, table }) =>
      query.columns === "labels"
        ? { labels: await memberList.listForLabels(table, community_id, query) }
        : { page: await memberList.list(table, community_id, query) },
  },
  ({ query, parent, table, event, read: { page, labels } }) => {
    const total = totalOf(parent, query);
    if (labels) {
      assertMayHaveColumns(event);
      const names = new Map(parent.tiers.map(({ id, name }) => [id, name]));
      const data = labels.members.map(({ shipping_address, tier_id, ...member }) =>
        labelOf({ ...member, shipping_address: shipping_address ?? noAddress }, names.get(tier_id) ?? ""),
      );
      return { total, next_cursor: labels.next_cursor, data };
    }
    const { members, next_cursor } = page;
    const data = members.map((member) => toResponse(member, parent, table.runtime));
    return { total, has_more: next_cursor !== null, next_cursor, data };
  },
);

/** @throws Problem `validation_failed` if the response is not CSV, or the size of the page is given */
function assertMayHaveColumns({ headers, queryStringParameters = {} }: APIGatewayProxyEventV2): void {
  const conflict = !prefersCsv(headers.accept)
    ? { parameter: "columns", message: "requires Accept: text/csv" }
    : "per" in queryStringParameters && { parameter: "per", message: "cannot be given with columns" };
  if (conflict) throw validationFailed([{ ...conflict, code: "conflicts" }]);
}

/** Number of members that match the filters. Null with a search, by address or by a scheduled end, which are not counted. */
function totalOf({ figures, tiers }: OpenCommunity, query: MemberListQuery): number | null {
  const { status, tier_id, is_blocked, access, requires_shipping_address: isRequired } = query;
  const notCounted = [query.query, query.has_shipping_address, query.is_canceling];
  if (!figures || notCounted.some((value) => value !== undefined)) return null;
  const tierIds = tiers.filter((tier) => tier.requires_shipping_address === isRequired).map(({ id }) => id);
  const cells = cellsOf(figures)
    .filter((cell) => access === undefined || isMember(cell) === access)
    .filter((cell) => isRequired === undefined || tierIds.includes(cell.tier_id));
  return countOf(cells, { status, tier_id, is_blocked });
}
