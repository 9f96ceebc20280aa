import * as customers from "../store/customers.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link } from "../store/members/sync.ts";
import type { BillingContext } from "./context.ts";
import { syncMember } from "./sync.ts";
import type { Cause } from "./sync-plan.ts";

/**
 * Synchronizes a member for a charge or an invoice (`former` of the cause) of a customer who was deleted at Stripe and replaced
 * by another.
 *
 * @returns the current member; undefined if there is no other customer
 */
export async function syncFormerCustomer(
  context: BillingContext,
  former: Link,
  cause: Cause,
): Promise<StoredMember | undefined> {
  const current = await customers.find(context.table, former.user_id, former.community_id);
  return current?.customer_id ? syncMember(context, { ...former, customer_id: current.customer_id }, cause) : undefined;
}
