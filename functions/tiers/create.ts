import { createProductAndPrices } from "#lib/billing/catalog.ts";
import { create } from "#lib/contract/tiers.ts";
import { assertPrices, assertRoom } from "#lib/domain/tier.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { seededId } from "#lib/ids.ts";
import * as tiers from "#lib/store/tiers.ts";

export const handler = endpoint(
  create,
  parentCommunity,
  async ({ params, body, parent, table, billing, operation, actor }) => {
    const { tiers: existing } = parent;
    assertPrices(body.tier);
    assertRoom(existing);
    const next = Math.min(1_000_000, 1 + Math.max(-1, ...existing.map(({ position }) => position)));
    const at = operation.begunAt.toISOString();
    const tier = {
      ...body.tier,
      // The id is the same for a retry, so that the retry uses the same product at Stripe.
      id: seededId(operation.begunAt, operation.operationId),
      position: body.tier.position ?? next,
      status: "active" as const,
      created_at: at,
      updated_at: at,
    };
    const priced = { ...tier, ...(await createProductAndPrices(billing, params.community_id, tier)) };
    const added = await tiers.add(table, parent, priced, actor);
    return tiers.toResponse(added, { benefits: [] }, table.runtime);
  },
  { writesLast: true },
);
