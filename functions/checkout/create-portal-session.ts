import { openPortal } from "#lib/billing/checkout.ts";
import { createPortalSession } from "#lib/contract/checkout.ts";
import { assertOurOrigins } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(createPortalSession, shopper, ({ body, parent, billing, operation }) => {
  assertOurOrigins(body, env("REDIRECT_ORIGINS"));
  return openPortal(billing, parent.customer, body.return_url, operation.operationId);
});
