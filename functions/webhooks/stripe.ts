import { handleEvent, verifyEvent } from "#lib/billing/events.ts";
import { awaitEventPlace } from "#lib/billing/pace.ts";
import { stripe } from "#lib/contract/webhooks.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";
import { readStripeSecret, webhookSecretsOf } from "#lib/secrets.ts";

export const handler = endpoint(stripe, everyone, async ({ body, event, table, billing, now }) => {
  const secret = await readStripeSecret(table.signal, now);
  const received = verifyEvent(body, event.headers["stripe-signature"], webhookSecretsOf(secret, now));
  const livemode = secret.secret_key.includes("_live_");
  const options = { livemode, beforeAsking: () => awaitEventPlace(table, livemode) };
  await handleEvent({ table, billing, now }, received, options).catch((cause: unknown) => {
    if (!(cause instanceof Problem) || cause.status >= 500 || cause.code === "too_many_requests") throw cause;
    // Stripe refused a request that the event required. The event itself is valid: after a 500, Stripe delivers it
    // again.
    throw new Problem("internal", { cause });
  });
});
