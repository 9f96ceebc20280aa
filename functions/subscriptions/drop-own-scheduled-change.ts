import { dropChange } from "#lib/billing/change.ts";
import { dropOwnScheduledChange } from "#lib/contract/subscriptions.ts";
import { ownMember } from "#lib/guards/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { membershipIn } from "#lib/store/members/own.ts";

export const handler = endpoint(
  dropOwnScheduledChange,
  ownMember,
  async ({ caller, record, parent, table, billing, operation, now }) => {
    const member = await dropChange({ table, billing, now }, record, operation);
    return membershipIn(parent, caller.id, { ...member, member_id: member.id });
  },
);
