import { cancel } from "#lib/billing/cancellation.ts";
import { cancelSubscription } from "#lib/contract/membership.ts";
import { ownMember } from "#lib/guards/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { membershipIn } from "#lib/store/members/own.ts";

export const handler = endpoint(
  cancelSubscription,
  ownMember,
  async ({ body, caller, record, parent, table, billing, operation, now }) => {
    const { mode, feedback = null, comment = null } = body;
    const member = await cancel({ table, billing, now }, record, { mode, feedback, comment }, operation);
    return membershipIn(parent, caller.id, { ...member, member_id: member.id });
  },
);
