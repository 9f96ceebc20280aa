import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import * as catalog from "../store/catalog.ts";
import * as communities from "../store/communities.ts";
import type { Reader } from "../store/table.ts";

/** The community in the path with its tiers and benefits, for responses. */
export async function parentCatalog({
  params,
  table,
}: {
  readonly params: { readonly community_id: number };
  readonly table: Reader;
}) {
  const parent = await catalog.open(table, params.community_id);
  return { parent, owned: parent };
}

/** The community in the path, with its tiers and benefits. */
export async function parentWithBenefits({
  params,
  table,
}: {
  readonly params: { readonly community_id: number };
  readonly table: Reader;
}) {
  const parent = await benefits.open(table, params.community_id);
  return { parent, owned: parent };
}

/** A benefit with its community: two round trips, because the first one finds the community's id. */
export async function benefitInPath({
  params,
  table,
}: {
  readonly params: { readonly id: number };
  readonly table: Reader;
}) {
  const communityId = await benefits.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found", { detail: `There is no benefit ${params.id}` });
  const [parent, record = null] = await Promise.all([
    communities.open(table, communityId),
    benefits.find(table, communityId, params.id),
  ]);
  return { parent, owned: parent, record, shown: record && benefits.toResponse(record, parent) };
}
