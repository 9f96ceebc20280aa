import { show } from "#lib/contract/membership.ts";
import { parentCatalog } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { membershipIn } from "#lib/store/members/own.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  show,
  {
    guard: parentCatalog,
    read: ({ params, caller, table }) => memberships.find(table, caller.id, params.community_id),
  },
  ({ caller, parent, read: membership }) => {
    users.assertNotErased(membership);
    return membershipIn(parent, caller.id, membership);
  },
);
