import { forPublic } from "../domain/community.ts";
import * as communities from "../store/communities.ts";
import { toResponse } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import type { Reader } from "../store/table.ts";
import type { PlaceIn } from "./guard.ts";

type GuardInput<Name extends string> = {
  readonly params: Readonly<Record<Name, number>>;
  readonly table: Reader;
  readonly placeIn: PlaceIn;
};

/** The community in the path, as the record. */
export async function communityInPath({ params, table, placeIn }: GuardInput<"id">) {
  const [record, place] = await Promise.all([communities.open(table, params.id), placeIn(params.id)]);
  return { record, shown: record, shownToPublic: forPublic(record), owned: record, place };
}

/** The community in the path with its tiers, as the parent. */
export async function parentCommunity({ params, table, placeIn }: GuardInput<"community_id">) {
  const [parent, place] = await Promise.all([
    communities.open(table, params.community_id),
    placeIn(params.community_id),
  ]);
  return { parent, owned: parent, place };
}

/** Reads a member with their community. Only callers with access learn whether the member exists. */
export async function memberInPath({ params, table, placeIn }: GuardInput<"community_id" | "id">) {
  const [parent, record = null, place] = await Promise.all([
    communities.open(table, params.community_id),
    members.find(table, params.community_id, params.id),
    placeIn(params.community_id),
  ]);
  const isErased = record?.erased_at !== undefined;
  const shown = record && toResponse(record, parent, table.runtime);
  return { parent, owned: parent, place, personId: record?.user.id, record, shown, isErased, memberId: record?.id };
}
