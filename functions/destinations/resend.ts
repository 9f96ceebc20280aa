import { resend } from "#lib/contract/destinations.ts";
import { resendOne } from "#lib/delivery/resend.ts";
import { destinationInPath } from "#lib/guards/destinations.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(
  resend,
  destinationInPath,
  ({ params, record, table, enqueue, operation }) =>
    resendOne(record, params.delivery_id, { table, enqueue, requestedAt: operation.begunAt }),
  { writesInSteps: true },
);
