import { handleEvent, verifiedEvent } from "#lib/billing/events.ts";
import { stripe } from "#lib/contract/webhooks.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";
import { readStripeSecret } from "#lib/secrets.ts";

export const handler = endpoint(stripe, everyone, async ({ body, event, table, billing, now }) => {
  const { secret_key, webhook_secret } = await readStripeSecret(table.signal);
  const received = verifiedEvent(body, event.headers["stripe-signature"], webhook_secret);
  await handleEvent({ table, billing, now }, received, secret_key.includes("_live_")).catch((cause: unknown) => {
    // Stripe's own refusals are no fault of the event: it has to be delivered again.
    throw cause instanceof Problem && cause.status < 500 ? new Problem("internal", { cause }) : cause;
  });
});
