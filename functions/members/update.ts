import { writeAddress } from "#lib/billing/address.ts";
import { update } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { edit } from "#lib/store/members/editable.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";

export const handler = endpoint(update, memberInPath, async ({ body, record, parent, table, billing, actor }) => {
  const changes = edit(record, body.member);
  // Stripe first: what it holds is copied over what we hold.
  if (body.member.shipping_address !== undefined) await writeAddress(billing, record, changes.shipping_address);
  return toResponse(await members.update(table, record, changes, actor), parent);
});
