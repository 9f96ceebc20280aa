import { forPublic } from "../domain/tier.ts";
import { Problem } from "../problem.ts";
import * as catalog from "../store/catalog.ts";
import type { Reader } from "../store/table.ts";
import * as tiers from "../store/tiers.ts";
import type { PlaceIn } from "./guard.ts";

type GuardInput = { readonly params: { readonly id: number }; readonly table: Reader; readonly placeIn: PlaceIn };

/** A tier with its community, tiers and benefits: two round trips, because the first one finds the community's id. */
export async function tierInPath({ params, table, placeIn }: GuardInput) {
  const communityId = await tiers.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found", { detail: `There is no tier ${params.id}` });
  const [parent, record = null, place] = await Promise.all([
    catalog.open(table, communityId),
    tiers.find(table, communityId, params.id),
    placeIn(communityId),
  ]);
  const shownAs = (tier: tiers.StoredTier) => tiers.toResponse(tier, parent, table.runtime);
  const [shown, shownToPublic] = [record && shownAs(record), record && shownAs(forPublic(record))];
  return { parent, owned: parent, place, record, shown, shownToPublic };
}
