import type { Caller } from "../auth/caller.ts";
import type { Shopper } from "../billing/checkout.ts";
import * as communities from "../store/communities.ts";
import * as customers from "../store/customers.ts";
import * as memberships from "../store/members/memberships.ts";
import type { Reader } from "../store/table.ts";
import * as users from "../store/users.ts";

type GuardInput = {
  readonly caller: Caller;
  readonly params: { readonly community_id: number };
  readonly table: Reader;
};

/**
 * Any user, with the data that decide whether they may check out, and as which member: one round trip.
 *
 * @throws Problem `invalid_token` for a person who was erased
 */
export async function shopper({ caller, params: { community_id }, table }: GuardInput): Promise<{ parent: Shopper }> {
  const [community, user, membership, customer] = await Promise.all([
    communities.open(table, community_id),
    users.find(table, caller.id),
    memberships.find(table, caller.id, community_id),
    customers.find(table, caller.id, community_id),
  ]);
  users.assertNotErased(user);
  return { parent: { community, user, caller, membership, customer } };
}
