import type { ShippingAddress } from "../values/address.ts";
import { type Billing, insteadOf } from "./stripe.ts";

/**
 * Writes a member's address to their Stripe customer, where it is collected and read from; null clears it. Where the
 * customer is gone, addresses are kept here only.
 */
export async function writeAddress(billing: Billing, customer: string, given: ShippingAddress | null): Promise<void> {
  const { name, ...address } = given ?? { name: "" };
  const shipping = given === null ? ("" as const) : { name, address };
  await billing((stripe, options) => stripe.customers.update(customer, { shipping }, options)).catch(
    (error: unknown) => {
      if (insteadOf("address", error) !== "go_on") throw error;
    },
  );
}
