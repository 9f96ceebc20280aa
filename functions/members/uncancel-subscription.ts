import { uncancel } from "#lib/billing/cancellation.ts";
import { uncancelSubscription } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(
  uncancelSubscription,
  memberInPath,
  async ({ record, parent, table, billing, operation, now }) =>
    toResponse(await uncancel({ table, billing, now }, record, operation), parent, table.runtime),
);
