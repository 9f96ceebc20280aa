import type Stripe from "stripe";
import type { ShippingAddress } from "../domain/address.ts";
import type { StoredMember } from "../store/members/item.ts";
import { addressOf } from "./snapshot.ts";
import { type Billing, insteadOf, refusalOf } from "./stripe.ts";

/**
 * Gives a member's address to a customer who is new to them and has none, as someone who was imported has an address
 * before they have a customer. One that Stripe refuses is kept here.
 *
 * @returns whether the address is kept
 */
export async function carryAddress(
  billing: Billing,
  before: StoredMember | undefined,
  customer: Stripe.Customer | undefined,
): Promise<boolean> {
  if (!before?.shipping_address || !customer || before.stripe_customer_id === customer.id) return false;
  if (addressOf(customer) !== null) return false;
  await writeAddress(billing, { ...before, stripe_customer_id: customer.id }, before.shipping_address).catch(
    (error: unknown) => {
      if (!refusalOf(error)) throw error;
    },
  );
  return true;
}

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
  const { name, ...address } = given ?? { name: "" };
  const shipping = given === null ? ("" as const) : { name, address };
  await billing((stripe, options) => stripe.customers.update(customer, { shipping }, options)).catch(
    (error: unknown) => {
      if (insteadOf("address", error) !== "go_on") throw error;
    },
  );
}
