import { writeAddress } from "#lib/billing/address.ts";
import { update } from "#lib/contract/members.ts";
import { patchMetadata } from "#lib/domain/metadata.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";

export const handler = endpoint(update, memberInPath, async ({ body, record, parent, table, billing, actor }) => {
  const { shipping_address = record.shipping_address, metadata = {} } = body.member;
  const changes = { shipping_address, ...patchMetadata(record, metadata) };
  // Stripe first: what it holds is copied over what we hold.
  if (body.member.shipping_address !== undefined) await writeAddress(billing, record, shipping_address);
  return toResponse(await members.update(table, record, changes, actor), parent);
});
