import { update } from "#lib/contract/benefits.ts";
import { assignmentOf } from "#lib/domain/benefit.ts";
import { benefitInPath } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(update, benefitInPath, async ({ body, record, parent, table, actor }) => {
  const { tier_ids, ...own } = body.benefit;
  const changes = { ...own, ...(tier_ids && { tier_ids: assignmentOf(tier_ids, parent.tiers) }) };
  return benefits.toResponse(await benefits.update(table, record, changes, actor), parent);
});
