import { openPortal } from "#lib/billing/portal.ts";
import { createPortalSession } from "#lib/contract/checkout.ts";
import { ownAddresses } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { shopper } from "#lib/guards/shopper.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { readStripeSecret } from "#lib/secrets.ts";

export const handler = endpoint(
  createPortalSession,
  shopper,
  async ({ body, parent, table, billing, operation, now }) => {
    const { return_url } = ownAddresses(body, env("REDIRECT_ORIGINS"));
    const { portal_configuration: configuration } = await readStripeSecret(table.signal, now);
    return openPortal(billing, parent.customer, { return_url, configuration, operationId: operation.operationId });
  },
);
