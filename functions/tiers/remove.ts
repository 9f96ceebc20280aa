import { remove } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(remove, tierInPath, async ({ record: tier, table, actor }) => {
  // The guard reads tier and benefits at the same time. A benefit that comes after the tier was read changes the tier's
  // assignments, so it is enough to read the benefits once more.
  const community = await benefits.open(table, tier.community_id);
  const isAssigned = community.benefits.some(({ tier_ids }) => tier_ids.includes(tier.id));
  return tiers.remove(table, tier, isAssigned, actor);
});
