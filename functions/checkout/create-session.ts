import { openCheckout } from "#lib/billing/checkout.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { createSession } from "#lib/contract/checkout.ts";
import { assertOurOrigins } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";

export const handler = endpoint(
  createSession,
  shopper,
  async ({ body, parent, table, billing, operation, now }) => {
    const { success_url, cancel_url } = body;
    assertOurOrigins({ success_url, cancel_url }, env("REDIRECT_ORIGINS"));
    return openCheckout({ table, billing, now }, await parent, body, operation.operationId);
  },
  { billing: stripe, once, limit },
);
