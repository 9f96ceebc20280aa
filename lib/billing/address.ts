import { type Problem, validationFailed } from "../problem.ts";
import { noAddress, type ShippingAddress } from "../values/address.ts";
import { type Billing, problemOf, unlessIgnored } from "./stripe.ts";

/**
 * Writes a shipping address to a Stripe customer. `null` clears it. Has no effect if the customer was deleted at Stripe:
 * the address is then stored in the table only.
 */
export async function writeAddress(
  billing: Billing,
  customer: string,
  shippingAddress: ShippingAddress | null,
): Promise<void> {
  const { name, phone, ...address } = shippingAddress ?? noAddress;
  const shipping = shippingAddress === null ? ("" as const) : { name, phone, address };
  await billing((stripe, options) => stripe.customers.update(customer, { shipping }, options)).catch(
    unlessIgnored("address"),
  );
}

/** Returns the problem for an address whose name Stripe refuses. Undefined for every other error. */
export function nameProblem(error: unknown): Problem | undefined {
  if (problemOf("address", error) === undefined) return undefined;
  const pointer = "/member/shipping_address/name";
  const message = "must not be empty, because the address is also stored in Stripe";
  return validationFailed([{ pointer, code: "too_short", message }], error);
}
