import { pageOf } from "#lib/billing/history.ts";
import { findListed, memberPayments } from "#lib/billing/payments.ts";
import { paymentHistory } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { decodeCursor, encodeCursor } from "#lib/store/cursor.ts";
import { ledgerOf } from "#lib/store/operations.ts";

export const handler = endpoint(
  paymentHistory,
  memberInPath,
  async ({ params, query, record, parent, table, billing }) => {
    const scope = ["payment_history", params.community_id, params.id];
    const after = decodeCursor(scope, query.cursor);
    const [snapshot, ledger] = await Promise.all([
      findListed(billing, record.stripe_customer_id),
      ledgerOf(table, record.id),
    ]);
    const payments = memberPayments(record, { snapshot, ledger, tiers: parent.tiers });
    const { data, end } = pageOf(payments, { per: query.per, after });
    return { has_more: end !== undefined, next_cursor: end === undefined ? null : encodeCursor(scope, end), data };
  },
);
