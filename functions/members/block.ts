import { dropWaiting } from "#lib/billing/change-at-stripe.ts";
import { closeSessionsOf } from "#lib/billing/sessions.ts";
import { block } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { logError } from "#lib/log.ts";
import { Problem } from "#lib/problem.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { whileAuthorized } from "#lib/store/ownership.ts";

export const handler = endpoint(
  block,
  memberInPath,
  async ({ body, record, parent, table, billing, actor }) => {
    if (record.user.id === parent.owner_id) throw new Problem("cannot_block_owner");
    const member = await members.block(whileAuthorized(table), record, body.reason ?? null, actor);
    // The block does not depend on Stripe: it has scheduled a task that does the same. A checkout that completes
    // nevertheless is canceled and refunded.
    await closeSessionsOf({ table, billing }, member).catch(logError);
    await dropWaiting(billing, member).catch(logError);
    return toResponse(member, parent, table.runtime);
  },
  { hasBegun: ({ record }) => record.is_blocked },
);
