import { cancel } from "#lib/billing/cancellation.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { cancelSubscription } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { present } from "#lib/store/members/item.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  cancelSubscription,
  managesMember,
  async ({ body, caller, record, parent, table, billing, operation, now }) => {
    const { mode, feedback = null, comment = null } = body;
    const request = { ...operation, actorId: await users.ensure(table, caller, now) };
    const member = await cancel({ table, billing, now }, await record, { mode, feedback, comment }, request);
    return present(member, await parent);
  },
  { billing: stripe, once, limit },
);
