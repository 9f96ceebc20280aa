import { openCheckout } from "#lib/billing/checkout.ts";
import { createSession } from "#lib/contract/checkout.ts";
import { ownAddresses } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(createSession, shopper, ({ body, parent, table, billing, operation, now }) => {
  const { tier_id, interval, ...addresses } = body;
  const request = { tier_id, interval, ...ownAddresses(addresses, env("REDIRECT_ORIGINS")) };
  return openCheckout({ table, billing, now }, parent, request, operation.operationId);
});
