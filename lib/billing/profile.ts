import { customersOf } from "../store/customers.ts";
import { copyToMembers } from "../store/members/profile-copies.ts";
import * as users from "../store/users.ts";
import type { BillingContext } from "./context.ts";
import { insteadOf } from "./stripe.ts";

/** What Stripe knows of a person. */
export type CustomerDetails = { readonly email?: string; readonly name?: string };

/** The longest name that Stripe takes, in UTF-16 units. */
const maxName = 256;

function customerDetails({ email, first_name, last_name }: users.User): CustomerDetails {
  const name = `${first_name} ${last_name}`.trim();
  // The cut may fall into the middle of a character.
  const cut = name.slice(0, maxName).replace(/[\uD800-\uDBFF]$/, "");
  return { ...(email !== "" && { email }), ...(cut !== "" && { name: cut }) };
}

/** Sends a person's name and email address to Stripe. Omits an address that Stripe rejects: its page asks for one. */
export async function withDetails<T>(user: users.User, tell: (details: CustomerDetails) => Promise<T>): Promise<T> {
  const details = customerDetails(user);
  try {
    return await tell(details);
  } catch (error) {
    if (insteadOf("customer", error) !== "without_email") throw error;
    const { email: _, ...rest } = details;
    return tell(rest);
  }
}

/**
 * Brings the copies of a profile up to date: member records, what they are found by, and Stripe's customers. Idempotent:
 * the profile is read anew, whatever the change was that led here.
 */
export async function copyProfile({ table, billing, now }: BillingContext, userId: number): Promise<void> {
  const user = await users.find(table, userId);
  if (!user || user.erased_at !== undefined) return;
  await copyToMembers(table, user, now);
  for (const customer of await customersOf(table, userId)) {
    await withDetails(user, async (details) => {
      if (Object.keys(details).length === 0) return;
      await billing((stripe, options) => stripe.customers.update(customer, details, options));
    }).catch((error: unknown) => {
      if (insteadOf("customer", error) !== "go_on") throw error;
    });
  }
}
