import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import * as catalog from "../store/catalog.ts";
import type { Reader } from "../store/table.ts";
import * as tiers from "../store/tiers.ts";

type GuardInput = { readonly params: { readonly id: number }; readonly table: Reader };

/** A tier with its community and benefits: two round trips, because the first one finds the community's id. */
export async function tierInPath({ params, table }: GuardInput) {
  const communityId = await parentOf(table, params.id);
  const [parent, record = null] = await Promise.all([
    benefits.open(table, communityId),
    tiers.find(table, communityId, params.id),
  ]);
  return { parent, owned: parent, record, shown: record && tiers.toResponse(record, parent) };
}

/** The same, for responses: an execution environment may have kept the tiers and benefits. */
export async function tierInCatalog({ params, table }: GuardInput) {
  const parent = await catalog.open(table, await parentOf(table, params.id));
  const record = parent.tiers.find(({ id }) => id === params.id) ?? null;
  return { parent, owned: parent, record, shown: record && tiers.toResponse(record, parent) };
}

async function parentOf(table: Reader, tierId: number): Promise<number> {
  const communityId = await tiers.communityOf(table, tierId);
  if (communityId === undefined) throw new Problem("not_found", { detail: `There is no tier ${tierId}` });
  return communityId;
}
