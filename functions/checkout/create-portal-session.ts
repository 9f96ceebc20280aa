import { openPortal } from "#lib/billing/checkout.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { createPortalSession } from "#lib/contract/checkout.ts";
import { assertOurOrigins } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";

export const handler = endpoint(
  createPortalSession,
  shopper,
  async ({ body, parent, billing, operation }) => {
    assertOurOrigins(body, env("REDIRECT_ORIGINS"));
    const { customer } = await parent;
    return openPortal(billing, customer, body.return_url, operation.operationId);
  },
  { billing: stripe, once, limit },
);
