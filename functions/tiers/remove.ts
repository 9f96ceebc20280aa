import { remove } from "#lib/contract/tiers.ts";
import { managesTier } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(remove, managesTier, async ({ record, parent, table }) => {
  const [tier, { benefits }] = await Promise.all([record, parent]);
  const isAssigned = benefits.some(({ tier_ids }) => tier_ids.includes(tier.id));
  await tiers.remove(table, tier, isAssigned);
});
