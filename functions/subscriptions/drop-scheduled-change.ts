import { dropChange } from "#lib/billing/change.ts";
import { dropScheduledChange } from "#lib/contract/subscriptions.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(
  dropScheduledChange,
  memberInPath,
  async ({ record, parent, table, billing, operation, now }) =>
    toResponse(await dropChange({ table, billing, now }, record, operation), parent, table.runtime),
);
