import { resendMany } from "#lib/contract/destinations.ts";
import { resend } from "#lib/delivery/resend.ts";
import { selectionOf } from "#lib/domain/resend.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as resends from "#lib/store/resends.ts";

export const handler = endpoint(
  resendMany,
  destinationInPath,
  ({ body, record, table, enqueue, operation }) => {
    const requestedAt = operation.begunAt;
    return resend(record, selectionOf(body, requestedAt), { table, enqueue, requestedAt });
  },
  {
    writesInSteps: true,
    hasBegun: async ({ record, table, begunAt }) =>
      (await resends.find(table, record.id, begunAt.toISOString())) !== undefined,
  },
);
