import type Stripe from "stripe";
import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { registerWebhook } from "#lib/billing/webhook-endpoint.ts";
import { type StripeSecret, writeStripeSecret } from "#lib/secrets.ts";

type Registered = {
  readonly stripe: Stripe;
  readonly apiBase: string | undefined;
  /** Where the webhook of the stack is. */
  readonly url: string;
  readonly secretArn: string;
  readonly stored: StripeSecret | undefined;
  /** The key that functions use. */
  readonly secret_key: string;
  readonly replace?: true;
  readonly revoke?: true;
};

/** How long the signing secret before a new one stays valid, in milliseconds. */
const overlap = 24 * 60 * 60 * 1000;

/** Makes what a stack needs at Stripe, and says what was done. @returns whether nothing is left to do */
export async function register(given: Registered): Promise<boolean> {
  const { stripe, url, secretArn, stored, secret_key, apiBase, replace = false, revoke } = given;
  const missing = await missingPermissions(clientOf({ secret_key }, apiBase), permissions.write);
  if (missing.length > 0) {
    console.log(`The key that functions would use lacks ${missing.join(", ")}. Nothing was changed`);
    return false;
  }
  const portal = await registerPortal(stripe);
  console.log(`The customer portal is set up (${portal.id})`);
  const secret = { secret_key, portal_configuration: portal.id };

  const keep = async (webhook_secret: string) => {
    const until = new Date(Date.now() + overlap).toISOString();
    const previous = stored && !revoke && { previous: { webhook_secret: stored.webhook_secret, until } };
    try {
      await writeStripeSecret(secretArn, { ...secret, webhook_secret, ...previous });
    } catch (error) {
      // Stripe does not tell it again.
      console.error(`The new secret could not be stored, so the old endpoint was kept. Store the secret yourself:

  aws secretsmanager put-secret-value --secret-id ${secretArn} \\
    --secret-string '{"secret_key":"'$STRIPE_SECRET_KEY'","webhook_secret":"${webhook_secret}","portal_configuration":"${portal.id}"}'
`);
      throw error;
    }
  };

  const registration = await registerWebhook(stripe, url, { replace, keep });
  switch (registration.outcome) {
    case "made":
      console.log(`Stripe sends its events to ${url} (${registration.id})`);
      for (const id of registration.removed) console.log(`Removed ${id}`);
      return true;
    case "there":
      console.log(
        `Stripe already sends its events to ${url} (${registration.id}). --replace creates a new signing secret`,
      );
      return refresh(given, secret);
    case "differs":
      console.log(`The endpoint for ${url} (${registration.id}) is not set up correctly:`);
      for (const wrong of registration.wrong) console.log(`  ${wrong}`);
      console.log("Run the command again with --replace");
      return false;
    default:
      return registration satisfies never;
  }
}

/** Stores a key or a portal configuration that is new, beside the signing secret that is stored. */
async function refresh(
  { secretArn, stored }: Registered,
  secret: Pick<StripeSecret, "secret_key" | "portal_configuration">,
): Promise<boolean> {
  if (!stored) {
    console.log("Its signing secret is not stored. Run the command again with --replace");
    return false;
  }
  const isNew = stored.secret_key !== secret.secret_key || stored.portal_configuration !== secret.portal_configuration;
  if (isNew) await writeStripeSecret(secretArn, { ...stored, ...secret });
  return true;
}
