import { assignToTiers } from "#lib/contract/benefits.ts";
import { assignmentOf } from "#lib/domain/benefit.ts";
import { benefitInPath } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(assignToTiers, benefitInPath, async ({ body, record, parent, table, actor }) => {
  const tier_ids = assignmentOf(body.tier_ids, parent.tiers, "/tier_ids");
  return benefits.toResponse(await benefits.update(table, record, { tier_ids }, actor), parent);
});
