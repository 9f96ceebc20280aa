import { refund } from "#lib/billing/refunds.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { issueRefund } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { present } from "#lib/store/members/item.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  issueRefund,
  managesMember,
  async ({ body, caller, record, parent, table, billing, operation, now }) => {
    const request = { ...operation, actorId: await users.ensure(table, caller, now) };
    const { refund: entry, member } = await refund({ table, billing, now }, await record, body, request);
    return { refund: entry, member: present(member, await parent) };
  },
  { billing: stripe, once, limit },
);
