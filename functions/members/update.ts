import { writeAddress } from "#lib/billing/address.ts";
import { billing as stripe } from "#lib/billing/stripe.ts";
import { update } from "#lib/contract/members.ts";
import { patchMetadata } from "#lib/domain/metadata.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  update,
  managesMember,
  async ({ body, caller, record, parent, table, billing, now, requestId }) => {
    const member = await record;
    const { shipping_address = member.shipping_address, metadata = {} } = body.member;
    const changes = { shipping_address, ...patchMetadata(member, metadata) };
    // Stripe first: what it holds is copied over what we hold.
    if (body.member.shipping_address !== undefined) await writeAddress(billing, member, shipping_address);
    const act = { by: await users.ensure(table, caller, now), requestId, now };
    return present(await members.update(table, member, changes, act), await parent);
  },
  { billing: stripe },
);
