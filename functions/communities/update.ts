import { assertMayChange } from "#lib/auth/policy.ts";
import { update } from "#lib/contract/communities.ts";
import { assertNotLikeId } from "#lib/domain/slug.ts";
import { communityInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as communities from "#lib/store/communities.ts";

export const handler = endpoint(update, communityInPath, ({ caller, body, record, table, actor }) => {
  assertMayChange(caller, body.community);
  assertNotLikeId(body.community.slug, record.slug);
  return communities.update(table, record, body.community, actor);
});
