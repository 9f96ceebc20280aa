import { openCheckout } from "#lib/billing/checkout.ts";
import { createSession } from "#lib/contract/checkout.ts";
import { assertOurOrigins } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(createSession, shopper, ({ body, parent, table, billing, operation, now }) => {
  const { success_url, cancel_url } = body;
  assertOurOrigins({ success_url, cancel_url }, env("REDIRECT_ORIGINS"));
  return openCheckout({ table, billing, now }, parent, body, operation.operationId);
});
