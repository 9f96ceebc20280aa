import type { Caller } from "../auth/caller.ts";
import { assertManages } from "../auth/policy.ts";
import { Problem } from "../problem.ts";
import * as benefits from "../store/benefits.ts";
import * as communities from "../store/communities.ts";
import type { Reader } from "../store/table.ts";

type Ask<Params extends string> = {
  readonly caller: Caller;
  readonly params: Readonly<Record<Params, number>>;
  readonly table: Reader;
};

/** Any user, under a community that exists, with its benefits. */
export async function underCommunity({ params, table }: Ask<"community_id">) {
  return { parent: await benefits.open(table, params.community_id) };
}

/** The community's owner or an admin, with its benefits. */
export async function managesCommunity({ caller, params, table }: Ask<"community_id">) {
  const parent = await benefits.open(table, params.community_id);
  assertManages(caller, parent);
  return { parent };
}

/** The owner of a benefit's community or an admin, for the benefit: two round trips, as its id alone says no community. */
export async function managesBenefit({ caller, params, table }: Ask<"id">) {
  const communityId = await benefits.communityOf(table, params.id);
  if (communityId === undefined) throw new Problem("not_found");
  const [parent, record = null] = await Promise.all([
    communities.open(table, communityId),
    benefits.find(table, communityId, params.id),
  ]);
  assertManages(caller, parent);
  return { parent, record, shown: record && benefits.present(record, parent) };
}
