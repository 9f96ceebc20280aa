import { pageOf } from "#lib/billing/history.ts";
import { fetchPayments } from "#lib/billing/payments.ts";
import { paymentHistory } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { decodeCursor, encodeCursor } from "#lib/store/cursor.ts";

export const handler = endpoint(paymentHistory, memberInPath, async ({ params, query, record, table, billing }) => {
  const scope = ["payment_history", params.community_id, params.id];
  const after = decodeCursor(scope, query.cursor);
  const { payments } = await fetchPayments({ table, billing }, record);
  const { data, end } = pageOf(payments, { per: query.per, after });
  return { has_more: end !== undefined, next_cursor: end === undefined ? null : encodeCursor(scope, end), data };
});
