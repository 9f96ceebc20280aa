import { uncancel } from "#lib/billing/cancellation.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { uncancelSubscription } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { present } from "#lib/store/members/item.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  uncancelSubscription,
  managesMember,
  async ({ caller, record, parent, table, billing, operation, now }) => {
    const request = { ...operation, actorId: await users.ensure(table, caller, now) };
    return present(await uncancel({ table, billing, now }, await record, request), await parent);
  },
  { billing: stripe, once, limit },
);
