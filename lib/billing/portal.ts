import { Problem } from "../problem.ts";
import type { Customer } from "../store/customers.ts";
import { hashOf, redirectProblem } from "./checkout.ts";
import { registerPortal } from "./portal-configuration.ts";
import { type Billing, problemOf, recoveryFrom } from "./stripe.ts";

type PortalSessionRequest = {
  readonly return_url: string;
  /** The id of the portal configuration that `stripe:setup` stored. */
  readonly configuration: string | undefined;
  readonly operationId: string;
};

/**
 * Opens a session of Stripe's customer portal, where people change their card and address and cancel their subscription.
 * Creates the configuration of the portal if Stripe refuses the stored one or the default.
 *
 * @throws Problem `no_subscription` if the person never checked out or their customer was deleted
 */
export async function openPortal(
  billing: Billing,
  person: Customer | undefined,
  { return_url, configuration, operationId }: PortalSessionRequest,
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

const lacksConfiguration = (error: unknown): boolean => recoveryFrom("portal", error) === "new_configuration";
