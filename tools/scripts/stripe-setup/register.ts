import { isDeepStrictEqual } from "node:util";
import type Stripe from "stripe";
import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { registerWebhook } from "#lib/billing/webhook-endpoint.ts";
import { type StripeSecret, writeStripeSecret } from "#lib/secrets.ts";
import { accountOf } from "./account.ts";

type StripeRegistration = {
  readonly stripe: Stripe;
  readonly apiBase: string | undefined;
  /** URL of the stack's webhook. */
  readonly url: string;
  readonly secretArn: string;
  readonly stored: StripeSecret | undefined;
  /** The key that functions use. */
  readonly secret_key: string;
  readonly replace?: true;
  readonly revoke?: true;
};

/** How long the previous signing secret stays valid, in milliseconds. */
const overlapMs = 24 * 60 * 60 * 1000;

/**
 * Creates the webhook endpoint and the portal configuration of a stack, stores the secret, and prints the results.
 *
 * @returns whether nothing is left to do
 */
export async function register(setup: StripeRegistration): Promise<boolean> {
  const { stripe, url, secretArn, stored, secret_key, apiBase, replace = false, revoke } = setup;
  const missing = await missingPermissions(clientOf({ secret_key }, apiBase), permissions.write);
  if (missing.length > 0) {
    console.log(`The key that functions would use lacks ${missing.join(", ")}. Nothing was changed`);
    return false;
  }
  const portal = await registerPortal(stripe);
  console.log(`The customer portal is set up (${portal.id})`);
  const account = await accountOf(stripe);
  const secret = { secret_key, portal_configuration: portal.id, ...(account !== undefined && { account }) };

  const storeSecret = async (webhook_secret: string, webhook_endpoint: string) => {
    const until = new Date(Date.now() + overlapMs).toISOString();
    const previous = stored && !revoke && { previous: { webhook_secret: stored.webhook_secret, until } };
    const signing = { webhook_secret, webhook_endpoint, ...previous };
    try {
      await writeStripeSecret(secretArn, { ...secret, ...signing });
    } catch (error) {
      // Stripe returns a signing secret only once.
      const name = secret_key === process.env.STRIPE_SECRET_KEY ? "STRIPE_SECRET_KEY" : "STRIPE_FUNCTIONS_KEY";
      const rest = JSON.stringify({ ...signing, ...secret, secret_key: undefined }).slice(1);
      console.error(`The new secret could not be stored, so the old endpoint was kept. Store the secret yourself,
with ${name} set to the key that functions use:

  aws secretsmanager put-secret-value --secret-id ${secretArn} \\
    --secret-string '{"secret_key":"'$${name}'",${rest}'
`);
      throw error;
    }
  };

  const registration = await registerWebhook(stripe, url, { replace, storeSecret });
  switch (registration.outcome) {
    case "created":
      console.log(`Stripe sends its events to ${url} (${registration.id})`);
      for (const id of registration.removed) console.log(`Removed ${id}`);
      return true;
    case "unchanged":
      console.log(
        `Stripe already sends its events to ${url} (${registration.id}). --replace creates a new signing secret`,
      );
      return updateSecret(setup, secret, registration.id);
    case "differs":
      console.log(`The endpoint for ${url} (${registration.id}) is not set up correctly:`);
      for (const difference of registration.differences) console.log(`  ${difference}`);
      console.log("Run the command again with --replace");
      return false;
    default:
      return registration satisfies never;
  }
}

/** Whether the stored signing secret is that of another endpoint. False if an earlier version stored it. */
export const isOfAnotherEndpoint = ({ webhook_endpoint }: StripeSecret, id: string): boolean =>
  webhook_endpoint !== undefined && webhook_endpoint !== id;

/** Stores a new key or portal configuration and keeps the stored signing secret. */
async function updateSecret(
  { secretArn, stored }: StripeRegistration,
  secret: Pick<StripeSecret, "secret_key" | "portal_configuration" | "account">,
  endpoint: string,
): Promise<boolean> {
  if (!stored || isOfAnotherEndpoint(stored, endpoint)) {
    console.log("Its signing secret is not stored. Run the command again with --replace");
    return false;
  }
  const updated = { ...stored, ...secret };
  if (!isDeepStrictEqual(updated, stored)) await writeStripeSecret(secretArn, updated);
  return true;
}
