import { renameProduct, updatePrices } from "#lib/billing/catalog.ts";
import { update } from "#lib/contract/tiers.ts";
import { assertPrices } from "#lib/domain/tier.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { whileAuthorized } from "#lib/store/ownership.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(update, tierInPath, async ({ body, record: tier, parent, table, billing, actor }) => {
  const changed = { ...tier, ...body.tier };
  assertPrices(changed);
  const priceIds = await updatePrices(billing, tier, changed);
  const updated = await tiers.update(whileAuthorized(table), tier, { ...body.tier, ...priceIds }, actor);
  // Renames the product last, so that a request that fails with a conflict changes nothing at Stripe. A retry renames
  // it again, and so does the slower one of two requests.
  if (body.tier.name !== undefined) {
    await renameProduct(billing, changed);
    const latest = await tiers.find(table, tier.community_id, tier.id);
    if (latest && latest.name !== changed.name) await renameProduct(billing, latest);
  }
  return tiers.toResponse(updated, parent, table.runtime);
});
