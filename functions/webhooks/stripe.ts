import { handleEvent, verifiedEvent } from "#lib/billing/events.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { stripe as route } from "#lib/contract/webhooks.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { readStripeSecret } from "#lib/secrets.ts";

export const handler = endpoint(
  route,
  everyone,
  async ({ body, event, table, billing, now }) => {
    const { secret_key, webhook_secret } = await readStripeSecret();
    const received = verifiedEvent(body, event.headers["stripe-signature"], webhook_secret);
    await handleEvent({ table, billing, now }, received, secret_key.includes("_live_"));
  },
  { billing: stripe },
);
