import { assignToTiers } from "#lib/contract/benefits.ts";
import { assignmentOf } from "#lib/domain/benefit.ts";
import { managesBenefit } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(
  assignToTiers,
  managesBenefit,
  async ({ body, record, parent, table, now }) => {
    const [benefit, community] = await Promise.all([record, parent]);
    const tier_ids = assignmentOf(body.tier_ids, community.tiers);
    return benefits.present(await benefits.update(table, benefit, { tier_ids }, now), community);
  },
  { once },
);
