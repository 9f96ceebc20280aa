import { assertMayList } from "#lib/auth/policy.ts";
import { list } from "#lib/contract/communities.ts";
import { forPublic } from "#lib/domain/community.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as communities from "#lib/store/community-list.ts";

export const handler = endpoint(list, everyone, async ({ query: { slug, ...page }, caller, table }) => {
  if (slug === undefined) {
    assertMayList(caller);
    return communities.list(table, page);
  }
  const id = await communities.idOfSlug(table, slug);
  const found = [...(await communities.openAll(table, id === undefined ? [] : [id])).values()];
  // If the slug was changed between the two reads, the community now has another slug and is not returned.
  const data = found.filter((item) => item.slug === slug && (page.status ?? item.status) === item.status);
  return { has_more: false, next_cursor: null, data: caller ? data : data.map(forPublic) };
});
