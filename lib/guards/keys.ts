import type { Caller } from "../auth/caller.ts";
import { mayManage } from "../auth/policy.ts";
import * as apiKeys from "../store/api-keys.ts";
import * as communities from "../store/communities.ts";
import type { Reader } from "../store/table.ts";
import { isInForce } from "../store/team-places.ts";

/**
 * The community in the path with its valid API keys. They are read after the community, so that they include every
 * addition that the community's counter includes. A later addition causes a conflict.
 */
export async function parentWithApiKeys({
  params,
  table,
}: {
  readonly params: { readonly community_id: number };
  readonly table: Reader;
}) {
  const community = await communities.open(table, params.community_id);
  return { parent: { ...community, apiKeys: await apiKeys.listOf(table, community) }, owned: community };
}

/** An API key that the caller may revoke. The record is null for anybody but the owner of its community and admins. */
export async function manageableApiKey({
  caller,
  params: { id },
  table,
}: {
  readonly caller: Caller;
  readonly params: { readonly id: number };
  readonly table: Reader;
}) {
  const apiKey = await apiKeys.find(table, id);
  const community = apiKey && (await communities.open(table, apiKey.community_id));
  const isShown = community && isInForce(community, apiKey, table) && mayManage(caller, community);
  return isShown ? { record: apiKey, shown: apiKeys.toResponse(apiKey) } : { record: null };
}
