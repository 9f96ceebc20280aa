import { cancel } from "#lib/billing/cancellation.ts";
import { cancelSubscription } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(
  cancelSubscription,
  memberInPath,
  async ({ body, record, parent, table, billing, operation, now }) => {
    const { mode, feedback = null, comment = null } = body;
    const member = await cancel({ table, billing, now }, record, { mode, feedback, comment }, operation);
    return toResponse(member, parent, table.runtime);
  },
);
