import { refund } from "#lib/billing/refunds.ts";
import { refundCharge } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";

export const handler = endpoint(
  refundCharge,
  memberInPath,
  async ({ body, record, parent, table, billing, operation, now }) => {
    const refunded = await refund({ table, billing, now }, { record, parent }, body, operation);
    return { refund: refunded.refund, member: toResponse(refunded.member, parent, table.runtime) };
  },
);
