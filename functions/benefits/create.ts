import { create } from "#lib/contract/benefits.ts";
import { assertRoom, assignmentOf, nextPosition } from "#lib/domain/benefit.ts";
import { managesCommunity } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(
  create,
  managesCommunity,
  async ({ body, parent, table, now }) => {
    const community = await parent;
    assertRoom(community.benefits);
    const { position = nextPosition(community.benefits), ...given } = body.benefit;
    const tier_ids = assignmentOf(given.tier_ids, community.tiers);
    return benefits.present(await benefits.add(table, community, { ...given, position, tier_ids }, now), community);
  },
  { once },
);
