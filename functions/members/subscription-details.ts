import { detailsOf } from "#lib/billing/details.ts";
import { subscriptionDetails } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(subscriptionDetails, memberInPath, ({ record, table, billing, now }) =>
  detailsOf({ table, billing, now }, record),
);
