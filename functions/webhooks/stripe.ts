import { handleEvent, verifyEvent } from "#lib/billing/events.ts";
import { awaitEventPlace } from "#lib/billing/pace.ts";
import { stripe } from "#lib/contract/webhooks.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";
import { readStripeSecret, webhookSecretsOf } from "#lib/secrets.ts";

/** Time between reads of the secret because of signatures that do not match, in milliseconds. */
const recheckMs = 10_000;

/**
 * Verifies an event. Reads the secret again if the signature does not match, because Stripe uses a new signing secret as
 * soon as it exists.
 *
 * @throws Problem `invalid_signature`
 */
async function receive(
  body: string,
  signature: string | undefined,
  { signal, now }: { readonly signal: AbortSignal | undefined; readonly now: Date },
) {
  const secret = await readStripeSecret(signal, now);
  try {
    return { secret, received: verifyEvent(body, signature, webhookSecretsOf(secret, now)) };
  } catch {
    const current = await readStripeSecret(signal, now, recheckMs);
    return { secret: current, received: verifyEvent(body, signature, webhookSecretsOf(current, now)) };
  }
}

export const handler = endpoint(stripe, everyone, async ({ body, event, table, billing, now }) => {
  const { secret, received } = await receive(body, event.headers["stripe-signature"], { signal: table.signal, now });
  const livemode = secret.secret_key.includes("_live_");
  const options = { livemode, beforeAsking: () => awaitEventPlace(table, livemode) };
  await handleEvent({ table, billing, now }, received, options).catch((cause: unknown) => {
    if (!(cause instanceof Problem) || cause.status >= 500 || cause.code === "too_many_requests") throw cause;
    // Stripe refused a request that the event required. The event itself is valid: after a 500, Stripe delivers it
    // again.
    throw new Problem("internal", { cause });
  });
});
