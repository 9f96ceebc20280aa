import type { Caller } from "../auth/caller.ts";
import { assertManages } from "../auth/policy.ts";
import * as communities from "../store/communities.ts";
import { present } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import type { Reader } from "../store/table.ts";

type Ask<Params extends string> = {
  readonly caller: Caller;
  readonly params: Readonly<Record<Params, number>>;
  readonly table: Reader;
};

/** Any user, for one community. */
export async function anyCommunity({ params, table }: Ask<"id">) {
  const record = await communities.open(table, params.id);
  return { record, shown: record };
}

/** The community's owner or an admin, for the community itself. */
export async function managedCommunity({ caller, params, table }: Ask<"id">) {
  const record = await communities.open(table, params.id);
  assertManages(caller, record);
  return { record, shown: record };
}

/** Any user, under a community that exists. */
export async function underCommunity({ params, table }: Ask<"community_id">) {
  return { parent: await communities.open(table, params.community_id) };
}

/** The community's owner or an admin. */
export async function managesCommunity({ caller, params, table }: Ask<"community_id">) {
  const parent = await communities.open(table, params.community_id);
  assertManages(caller, parent);
  return { parent };
}

/** The community's owner or an admin, for one member; the same 403 for members that exist and those that do not. */
export async function managesMember({ caller, params, table }: Ask<"community_id" | "id">) {
  const [parent, record = null] = await Promise.all([
    communities.open(table, params.community_id),
    members.find(table, params.community_id, params.id),
  ]);
  assertManages(caller, parent);
  return { parent, record, shown: record && present(record, parent) };
}
