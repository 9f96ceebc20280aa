import type { Caller } from "../auth/caller.ts";
import { assertManages } from "../auth/policy.ts";
import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import type { Reader } from "../store/table.ts";
import * as tiers from "../store/tiers.ts";

type Ask = { readonly caller: Caller; readonly params: { readonly id: number }; readonly table: Reader };

/** The community of a tier with its benefits, and the tier: two round trips, as its id alone says no community. */
async function opened({ params, table }: Ask) {
  const communityId = await tiers.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found");
  const [parent, record = null] = await Promise.all([
    benefits.open(table, communityId),
    tiers.find(table, communityId, params.id),
  ]);
  return { parent, record, shown: record };
}

/** Any user, for one tier. */
export const anyTier = opened;

/** The owner of a tier's community or an admin, for the tier. */
export async function managesTier(ask: Ask) {
  const grant = await opened(ask);
  assertManages(ask.caller, grant.parent);
  return grant;
}
