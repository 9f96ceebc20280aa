import * as customers from "../store/customers.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Link } from "../store/members/sync.ts";
import type { BillingContext } from "./context.ts";
import { syncMember } from "./sync.ts";
import type { Cause } from "./sync-plan.ts";

/**
 * Synchronizes the refunds and disputes of a charge whose customer was deleted at Stripe and replaced by another.
 *
 * @returns the current member; undefined if there is no other customer
 */
export async function syncFormerCharge(
  context: BillingContext,
  former: Link,
  cause: Cause,
): Promise<StoredMember | undefined> {
  const current = await customers.find(context.table, former.user_id, former.community_id);
  return current?.customer_id ? syncMember(context, { ...former, customer_id: current.customer_id }, cause) : undefined;
}
