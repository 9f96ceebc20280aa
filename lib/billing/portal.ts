import { Problem } from "../problem.ts";
import type { Customer } from "../store/customers.ts";
import { hashOf, redirectProblem } from "./checkout.ts";
import { registerPortal } from "./portal-configuration.ts";
import { type Billing, insteadOf, problemOf } from "./stripe.ts";

type PortalOptions = {
  readonly return_url: string;
  /** The configuration that `stripe:setup` has stored. */
  readonly configuration: string | undefined;
  readonly operationId: string;
};

/**
 * Stripe's customer portal, where people change their card and their address and cancel their subscription themselves. Its
 * configuration is created where Stripe has none that can be used.
 *
 * @throws Problem `no_subscription` for a person who never checked out, or whose customer is gone
 */
export async function openPortal(
  billing: Billing,
  person: Customer | undefined,
  { return_url, configuration, operationId }: PortalOptions,
): Promise<{ url: string }> {
  const customer = person?.customer_id;
  if (!customer) throw new Problem("no_subscription");
  const open = (id: string | undefined) => {
    const params = { customer, return_url, ...(id !== undefined && { configuration: id }) };
    const key = `portal-${operationId}-${hashOf(params)}`;
    return billing((stripe, options) => stripe.billingPortal.sessions.create(params, options), key);
  };
  try {
    const { url } = await open(configuration).catch(async (error: unknown) => {
      if (!lacksConfiguration(error)) throw error;
      const { id } = await billing((stripe, options) => registerPortal(stripe, options));
      return open(id);
    });
    return { url };
  } catch (error) {
    if (lacksConfiguration(error)) throw new Problem("payment_processor_error", { cause: error });
    throw redirectProblem("portal", error) ?? problemOf("portal", error) ?? error;
  }
}

const lacksConfiguration = (error: unknown): boolean => insteadOf("portal", error) === "new_configuration";
