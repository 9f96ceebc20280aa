import { uncancel } from "#lib/billing/cancellation.ts";
import { uncancelSubscription } from "#lib/contract/membership.ts";
import { ownMember } from "#lib/guards/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { membershipIn } from "#lib/store/members/own.ts";

export const handler = endpoint(
  uncancelSubscription,
  ownMember,
  async ({ caller, record, parent, table, billing, operation, now }) => {
    const member = await uncancel({ table, billing, now }, record, operation);
    return membershipIn(parent, caller.id, { ...member, member_id: member.id });
  },
);
