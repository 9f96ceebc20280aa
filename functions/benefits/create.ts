import { create } from "#lib/contract/benefits.ts";
import { assertRoom, assignmentOf, nextPosition } from "#lib/domain/benefit.ts";
import { parentWithBenefits } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(create, parentWithBenefits, async ({ body, parent, table, actor }) => {
  assertRoom(parent.benefits);
  const { position = nextPosition(parent.benefits), ...fields } = body.benefit;
  const tier_ids = assignmentOf(fields.tier_ids, parent.tiers);
  return benefits.toResponse(await benefits.add(table, parent, { ...fields, position, tier_ids }, actor), parent);
});
