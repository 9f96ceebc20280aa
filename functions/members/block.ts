import { expireSessions } from "#lib/billing/checkout.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { block } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { logError } from "#lib/log.ts";
import { present } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  block,
  managesMember,
  async ({ body, caller, record, parent, table, billing, now, requestId }) => {
    const act = { by: await users.ensure(table, caller, now), requestId, now };
    const member = await members.block(table, await record, body.reason ?? null, act);
    // The block stands whatever becomes of this: a checkout that is completed all the same is canceled and refunded.
    if (member.stripe_customer_id) await expireSessions(billing, member.stripe_customer_id).catch(logError);
    return present(member, await parent);
  },
  { billing: stripe, once, limit },
);
