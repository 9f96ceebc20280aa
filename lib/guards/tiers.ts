import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import type { Reader } from "../store/table.ts";
import * as tiers from "../store/tiers.ts";

/** A tier with its community and benefits: two round trips, because the first one finds the community's id. */
export async function tierInPath({
  params,
  table,
}: {
  readonly params: { readonly id: number };
  readonly table: Reader;
}) {
  const communityId = await tiers.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found", { detail: `There is no tier ${params.id}` });
  const [parent, record = null] = await Promise.all([
    benefits.open(table, communityId),
    tiers.find(table, communityId, params.id),
  ]);
  return { parent, owned: parent, record, shown: record && tiers.toResponse(record, parent) };
}
