import * as communities from "../store/communities.ts";
import { toResponse } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import type { Reader } from "../store/table.ts";

type GuardInput<Name extends string> = {
  readonly params: Readonly<Record<Name, number>>;
  readonly table: Reader;
};

/** The community in the path, as the record. */
export async function communityInPath({ params, table }: GuardInput<"id">) {
  const record = await communities.open(table, params.id);
  return { record, shown: record, owned: record };
}

/** The community in the path with its tiers, as the parent. */
export async function parentCommunity({ params, table }: GuardInput<"community_id">) {
  const parent = await communities.open(table, params.community_id);
  return { parent, owned: parent };
}

/** Reads a member with their community. Only callers with access learn whether the member exists. */
export async function memberInPath({ params, table }: GuardInput<"community_id" | "id">) {
  const [parent, record = null] = await Promise.all([
    communities.open(table, params.community_id),
    members.find(table, params.community_id, params.id),
  ]);
  const isErased = record?.erased_at !== undefined;
  const shown = record && toResponse(record, parent, table.runtime);
  return { parent, owned: parent, record, shown, isErased, memberId: record?.id };
}
