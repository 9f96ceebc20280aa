import { createPrice, renameProduct } from "#lib/billing/catalog.ts";
import { update } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(update, tierInPath, async ({ body, record: tier, parent, table, billing, actor }) => {
  const changed = { ...tier, ...body.tier };
  const isRepriced = changed.monthly_price_dollars !== tier.monthly_price_dollars;
  const stripe_price_id = isRepriced
    ? await createPrice(
        billing,
        tier.community_id,
        changed,
        `price-${tier.id}-${tier.version}-${changed.monthly_price_dollars}`,
      )
    : tier.stripe_price_id;
  const updated = await tiers.update(table, tier, { ...body.tier, stripe_price_id }, actor);
  // Renames the product last, so that a request that fails with a conflict changes nothing at Stripe. A retry renames
  // it again.
  if (body.tier.name !== undefined) await renameProduct(billing, changed);
  return tiers.toResponse(updated, parent);
});
