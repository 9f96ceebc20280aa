import * as v from "valibot";
import type { RightBasis } from "../auth/policy.ts";
import type { Grantor } from "../values/lasting-right.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";

const StoredGrantor = v.object({ ownership: v.optional(v.number()) });

/** The attributes of a community that lasting rights depend on: one strongly consistent read. */
export async function grantorOf(table: Reader, communityId: number): Promise<Grantor> {
  return v.parse(StoredGrantor, (await table.get(keys.community(communityId))) ?? {});
}

/** The community, and the caller's place in its team or API key if a role allows the request. */
type Basis = Pick<RightBasis, "place" | "apiKey"> & { readonly owned: Grantor & { readonly id: number } };

/**
 * The table for a request that was authorized in a community. All transactions throw a `Conflict` if the community has been
 * transferred since, if the caller's place in the team has changed, or if the API key was revoked, so that the request is
 * authorized again.
 */
export const whileAuthorized = (table: Writer, { owned: { id, ownership }, place, apiKey }: Basis): Writer => ({
  ...table,
  conditions: [
    { check: keys.community(id), is: { ownership } },
    ...(apiKey ? [{ check: keys.apiKey(apiKey.id), is: { secret_hash: apiKey.secret_hash } }] : []),
    ...(place ? [{ check: keys.teamMember(id, place.user_id), is: { version: place.version } }] : []),
  ],
});
