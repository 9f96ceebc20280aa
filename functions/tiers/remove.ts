import { remove } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(remove, tierInPath, async ({ record: tier, table, actor }) => {
  // A query is no snapshot: benefits must be read after the tier, as those that come later change its assignments.
  const community = await benefits.open(table, tier.community_id);
  const isAssigned = community.benefits.some(({ tier_ids }) => tier_ids.includes(tier.id));
  return tiers.remove(table, tier, isAssigned, actor);
});
