import type { ShippingAddress } from "../domain/address.ts";
import type { StoredMember } from "../store/members/item.ts";
import { type Billing, isUnknownCustomer } from "./stripe.ts";

/**
 * Writes a member's address to their Stripe customer, where it is collected and read from; null clears it. Where the
 * customer is gone, addresses are kept here only.
 */
export async function writeAddress(
  billing: Billing,
  { stripe_customer_id: customer }: StoredMember,
  given: ShippingAddress | null,
): Promise<void> {
  if (!customer) return;
  const shipping = given === null ? ("" as const) : shippingOf(given);
  await billing((stripe, options) => stripe.customers.update(customer, { shipping }, options)).catch(
    (error: unknown) => {
      if (!isUnknownCustomer(error, customer)) throw error;
    },
  );
}

/** An address as Stripe takes it. */
export const shippingOf = ({ name, ...address }: ShippingAddress) => ({ name, address });
