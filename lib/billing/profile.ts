import { customersOf } from "../store/customers.ts";
import { copyToMembers } from "../store/members/profile-copies.ts";
import * as users from "../store/users.ts";
import type { BillingContext } from "./context.ts";
import { recoveryFrom, unlessIgnored } from "./stripe.ts";

/** The personal details that are sent to Stripe. */
export type CustomerDetails = { readonly email?: string; readonly name?: string };

/** Maximum length of a name at Stripe, in UTF-16 code units. */
const maxNameLength = 256;

/** The details that a profile has. */
export function customerDetails({ email, first_name, last_name }: users.User): CustomerDetails {
  const name = `${first_name} ${last_name}`.trim();
  // Removes the first half of a surrogate pair that the cut has split.
  const shortName = name.slice(0, maxNameLength).replace(/[\uD800-\uDBFF]$/, "");
  return { ...(email !== "" && { email }), ...(shortName !== "" && { name: shortName }) };
}

/** Sends a person's name and email address to Stripe. Omits an email address that Stripe refuses: its checkout asks for one. */
export async function withDetails<T>(user: users.User, send: (details: CustomerDetails) => Promise<T>): Promise<T> {
  const details = customerDetails(user);
  try {
    return await send(details);
  } catch (error) {
    if (recoveryFrom("customer", error) !== "without_email") throw error;
    const { email: _, ...withoutEmail } = details;
    return send(withoutEmail);
  }
}

/**
 * Copies a profile to the person's member records, their search items and their Stripe customers. Idempotent: it reads the
 * current profile.
 *
 * @param had the details that the profile had before, and that have changed. Those that are no longer sent to Stripe are removed
 *   there; others that Stripe has were entered there
 */
export async function copyProfile(
  { table, billing, now }: BillingContext,
  userId: number,
  had: readonly (keyof CustomerDetails)[] = [],
): Promise<void> {
  const user = await users.find(table, userId);
  if (!user || user.erased_at !== undefined) return;
  await copyToMembers(table, user, now);
  for (const customer of await customersOf(table, userId)) {
    await withDetails(user, async (details) => {
      // Stripe removes a detail for which it is sent an empty text.
      const changes = { ...Object.fromEntries(had.map((name) => [name, ""])), ...details };
      if (Object.keys(changes).length === 0) return;
      await billing((stripe, options) => stripe.customers.update(customer, changes, options));
    }).catch(unlessIgnored("customer"));
  }
}
