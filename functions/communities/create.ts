import { create } from "#lib/contract/communities.ts";
import { assertNotLikeId } from "#lib/domain/slug.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as communities from "#lib/store/communities.ts";

export const handler = endpoint(create, everyone, ({ body, table, actor }) => {
  assertNotLikeId(body.community.slug);
  return communities.create(table, body.community, actor);
});
