import { change } from "#lib/billing/change.ts";
import { changeOwn } from "#lib/contract/subscriptions.ts";
import { ownAddresses } from "#lib/domain/checkout.ts";
import { env } from "#lib/env.ts";
import { ownMember } from "#lib/guards/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { membershipIn } from "#lib/store/members/own.ts";

export const handler = endpoint(
  changeOwn,
  ownMember,
  async ({ body, caller, record, parent, table, billing, operation, now }) => {
    const { return_url, ...wanted } = body;
    const addresses = return_url === undefined ? {} : ownAddresses({ return_url }, env("REDIRECT_ORIGINS"));
    const place = { record, parent };
    const asked = { ...wanted, ...addresses };
    const { outcome, member } = await change({ table, billing, now }, "own", place, asked, operation);
    return { ...outcome, membership: membershipIn(parent, caller.id, { ...member, member_id: member.id }) };
  },
);
