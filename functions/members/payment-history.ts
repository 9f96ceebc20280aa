import { paymentHistoryPage } from "#lib/billing/history.ts";
import { paymentHistory } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(
  paymentHistory,
  memberInPath,
  ({ params, query, record: member, parent: { tiers }, table, billing }) => {
    const scope = ["payment_history", params.community_id, params.id];
    return paymentHistoryPage({ table, billing }, { member, tiers, scope, query });
  },
);
