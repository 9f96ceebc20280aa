import { detailsOf } from "#lib/billing/details.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { subscriptionDetails } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(
  subscriptionDetails,
  managesMember,
  async ({ record, table, billing, now }) => detailsOf({ table, billing, now }, await record),
  { billing: stripe },
);
