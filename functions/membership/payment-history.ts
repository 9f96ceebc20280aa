import { paymentHistoryPage } from "#lib/billing/history.ts";
import { paymentHistory } from "#lib/contract/membership.ts";
import { parentCatalog } from "#lib/guards/benefits.ts";
import { findOwnMember } from "#lib/guards/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(
  paymentHistory,
  { guard: parentCatalog, read: findOwnMember },
  ({ params, caller, query, read: member, parent: { tiers }, table, billing }) => {
    const scope = ["own_payment_history", params.community_id, caller.id];
    return paymentHistoryPage({ table, billing }, { member, tiers, scope, query });
  },
);
