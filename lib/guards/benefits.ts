import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import * as catalog from "../store/catalog.ts";
import * as communities from "../store/communities.ts";
import type { Reader } from "../store/table.ts";
import type { PlaceIn } from "./guard.ts";

type InCommunity = {
  readonly params: { readonly community_id: number };
  readonly table: Reader;
  readonly placeIn: PlaceIn;
};

/** The community in the path with its tiers and benefits, as `open` reads them. */
const parentBy =
  <Parent>(open: (table: Reader, communityId: number) => Promise<Parent>) =>
  async ({ params, table, placeIn }: InCommunity) => {
    const [parent, place] = await Promise.all([open(table, params.community_id), placeIn(params.community_id)]);
    return { parent, owned: parent, place };
  };

/** For responses: an execution environment may have kept the tiers and benefits. */
export const parentCatalog = parentBy(catalog.open);

/** For changes. */
export const parentWithBenefits = parentBy(benefits.open);

type ById = { readonly params: { readonly id: number }; readonly table: Reader; readonly placeIn: PlaceIn };

/** A benefit with its community: two round trips, because the first one finds the community's id. */
export async function benefitInPath({ params, table, placeIn }: ById) {
  const communityId = await benefits.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found", { detail: `There is no benefit ${params.id}` });
  const [parent, record = null, place] = await Promise.all([
    communities.open(table, communityId),
    benefits.find(table, communityId, params.id),
    placeIn(communityId),
  ]);
  return { parent, owned: parent, place, record, shown: record && benefits.toResponse(record, parent) };
}
