import { change as changeSubscription } from "#lib/billing/change.ts";
import { change } from "#lib/contract/subscriptions.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(
  change,
  memberInPath,
  async ({ body, record, parent, table, billing, operation, now }) => {
    const place = { record, parent };
    const { outcome, member } = await changeSubscription({ table, billing, now }, "owner", place, body, operation);
    return { ...outcome, member: toResponse(member, parent, table.runtime) };
  },
);
