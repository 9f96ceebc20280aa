import type { ShippingAddress } from "../domain/member.ts";
import type { StoredMember } from "../store/member-item.ts";
import type { Billing } from "./stripe.ts";

/** Writes a member's address to their Stripe customer, where it is collected and read from; null clears it. */
export async function writeAddress(
  billing: Billing,
  { stripe_customer_id: customer }: StoredMember,
  given: ShippingAddress | null,
): Promise<void> {
  if (!customer) return;
  const { name, ...address } = given ?? { name: "" };
  const shipping = given === null ? ("" as const) : { name, address };
  await billing((stripe, options) => stripe.customers.update(customer, { shipping }, options));
}
