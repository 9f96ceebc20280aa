import { customersOf } from "../store/customers.ts";
import { copyToMembers } from "../store/members/profile-copies.ts";
import * as users from "../store/users.ts";
import type { BillingContext } from "./context.ts";
import { isUnknownCustomer } from "./stripe.ts";

/** What Stripe is told of a person. */
export function customerDetails({ email, first_name, last_name }: users.User): { email?: string; name?: string } {
  const name = `${first_name} ${last_name}`.trim();
  return { ...(email !== "" && { email }), ...(name !== "" && { name }) };
}

/**
 * Brings the copies of a profile up to date: member records, what they are found by, and Stripe's customers. Idempotent:
 * the profile is read anew, whatever the change was that led here.
 */
export async function copyProfile({ table, billing, now }: BillingContext, userId: number): Promise<void> {
  const user = await users.find(table, userId);
  if (!user) return;
  await copyToMembers(table, user, now);
  const details = customerDetails(user);
  if (Object.keys(details).length === 0) return;
  for (const customer of await customersOf(table, userId)) {
    await billing((stripe, options) => stripe.customers.update(customer, details, options)).catch((error: unknown) => {
      if (!isUnknownCustomer(error, customer)) throw error;
    });
  }
}
