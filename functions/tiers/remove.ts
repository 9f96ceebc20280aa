import { remove } from "#lib/contract/tiers.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(remove, tierInPath, async ({ record: tier, table, actor }) => {
  // The guard's benefits may be older than the tier. An assignment after the tier was read changes the tier's counter of
  // assignments, so reading the benefits again is sufficient, and is not necessary if there has never been an assignment.
  const isAssigned = async () => {
    const community = await benefits.open(table, tier.community_id);
    return community.benefits.some(({ tier_ids }) => tier_ids.includes(tier.id));
  };
  return tiers.remove(table, tier, tier.assignments > 0 && (await isAssigned()), actor);
});
