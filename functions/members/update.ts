import { update } from "#lib/contract/members.ts";
import { patchMetadata } from "#lib/domain/metadata.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/member-item.ts";
import * as members from "#lib/store/members.ts";

export const handler = endpoint(update, managesMember, async ({ body, record, parent, table, now }) => {
  const member = await record;
  const { shipping_address = member.shipping_address, metadata = {} } = body.member;
  const changes = { shipping_address, ...patchMetadata(member, metadata) };
  return present(await members.update(table, member, changes, now), await parent);
});
