import { remove } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(remove, tierInPath, ({ record: tier, parent, table, actor }) => {
  const isAssigned = parent.benefits.some(({ tier_ids }) => tier_ids.includes(tier.id));
  return tiers.remove(table, tier, isAssigned, actor);
});
