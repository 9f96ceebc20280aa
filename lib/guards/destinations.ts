import { Problem } from "../problem.ts";
import * as communities from "../store/communities.ts";
import * as destinations from "../store/destinations.ts";
import type { Reader } from "../store/table.ts";
import type { PlaceIn } from "./guard.ts";

/**
 * The community in the path, with its event destinations. The destinations are read after the community, so that they
 * include every addition that the community's counter includes. A later addition causes a conflict.
 */
export async function parentWithDestinations({
  params,
  table,
}: {
  readonly params: { readonly community_id: number };
  readonly table: Reader;
}) {
  const community = await communities.open(table, params.community_id);
  const stored = await destinations.listOf(table, params.community_id);
  const all = stored.map((destination) => destinations.standingIn(community, destination, table.runtime));
  return { parent: { ...community, destinations: all }, owned: community };
}

/** An event destination with its community: two round trips, because the first one finds the community's id. */
export async function destinationInPath({
  params,
  table,
  placeIn,
}: {
  readonly params: { readonly id: number };
  readonly table: Reader;
  readonly placeIn: PlaceIn;
}) {
  const communityId = await destinations.communityOf(table, params.id);
  if (communityId === undefined)
    throw new Problem("not_found", { detail: `There is no event destination ${params.id}` });
  const [parent, stored, place] = await Promise.all([
    communities.open(table, communityId),
    destinations.find(table, communityId, params.id),
    placeIn(communityId),
  ]);
  const record = stored ? destinations.standingIn(parent, stored, table.runtime) : null;
  return { parent, owned: parent, place, record, shown: record };
}
