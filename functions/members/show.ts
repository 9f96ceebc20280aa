import { show } from "#lib/contract/members.ts";
import { managesMember } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/members/item.ts";

export const handler = endpoint(show, managesMember, async ({ record, parent }) => present(await record, await parent));
