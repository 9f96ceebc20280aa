import { listInvitations } from "#lib/contract/team.ts";
import { pageOf } from "#lib/domain/page.ts";
import { parentWithInvitations } from "#lib/guards/team.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { openOf, toResponse } from "#lib/store/invitations.ts";

export const handler = endpoint(listInvitations, parentWithInvitations, ({ query, parent, table }) =>
  pageOf(openOf(table, parent, parent.invitations).map(toResponse), query),
);
