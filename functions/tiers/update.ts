import { renameProduct, updatePrices } from "#lib/billing/catalog.ts";
import { update } from "#lib/contract/tiers.ts";
import { assertPrices } from "#lib/domain/tier.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { logError } from "#lib/log.ts";
import { whileAuthorized } from "#lib/store/ownership.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(update, tierInPath, async ({ body, record: tier, parent, table, billing, actor }) => {
  const changed = { ...tier, ...body.tier };
  assertPrices(changed);
  const priceIds = await updatePrices(billing, tier, changed);
  const updated = await tiers.update(whileAuthorized(table), tier, { ...body.tier, ...priceIds }, actor);
  // The schedule renames the product again, also after the slower one of two requests.
  if (updated.name !== tier.name)
    await renameProduct({ table, billing }, { community_id: tier.community_id, tier_id: tier.id }).catch(logError);
  return tiers.toResponse(updated, parent, table.runtime);
});
