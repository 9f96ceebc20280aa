import { invoicesOf } from "#lib/billing/history.ts";
import { paymentHistory } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { decodeCursor, encodeCursor } from "#lib/store/cursor.ts";

export const handler = endpoint(paymentHistory, memberInPath, async ({ params, query, record, billing }) => {
  const scope = ["payment_history", params.community_id, params.id];
  const after = decodeCursor(scope, query.cursor);
  const { stripe_customer_id: customer } = record;
  if (!customer) return { has_more: false, next_cursor: null, data: [] };
  const { invoices, hasMore } = await invoicesOf(billing, customer, { per: query.per, after });
  const last = invoices.at(-1);
  const next_cursor = hasMore && last ? encodeCursor(scope, last.id) : null;
  return { has_more: next_cursor !== null, next_cursor, data: invoices };
});
