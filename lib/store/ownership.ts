import * as v from "valibot";
import type { RightBasis } from "../auth/policy.ts";
import { pick } from "../pick.ts";
import type { Grantor } from "../values/lasting-right.ts";
import { keys } from "./keys.ts";
import type { Conditions, Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

const StoredGrantor = v.object({ ownership: v.optional(v.number()) });

/** The attributes of a community that lasting rights depend on: one strongly consistent read. */
export async function grantorOf(table: Reader, communityId: number): Promise<Grantor> {
  return v.parse(StoredGrantor, (await table.get(keys.community(communityId))) ?? {});
}

/** The community, and the caller's place in its team or API key if a role allows the request. */
type Basis = Pick<RightBasis, "place" | "apiKey"> & { readonly owned: Grantor & { readonly id: number } };

/**
 * The conditions of a request that was authorized in a community. They fail if the community has been transferred since, if
 * the caller's place in the team has changed, or if the API key was revoked. The request is then authorized again.
 */
export const conditionsOf = ({ owned: { id, ownership }, place, apiKey }: Basis): Conditions => [
  { check: keys.community(id), is: { ownership } },
  ...(apiKey ? [{ check: keys.apiKey(apiKey.id), is: { secret_hash: apiKey.secret_hash } }] : []),
  ...(place ? [{ check: keys.teamMember(id, place.user_id), is: pick(place, ["created_at", "version"]) }] : []),
];

/**
 * The table for the write with which the effect of a request begins. It throws a `Conflict` if the caller may have lost the
 * right since the request was authorized.
 */
export const whileAuthorized = (table: Writer): Writer =>
  table.authorization ? { ...table, conditions: table.authorization() } : table;

/**
 * Checks the caller's right before an effect outside of the table that no write precedes. Throws a `Conflict` like
 * `whileAuthorized`. The check does not count as an effect.
 */
export async function assertAuthorized(table: Writer): Promise<void> {
  const { onWrite: _, ...checking } = whileAuthorized(table);
  if (table.authorization?.().length) await write(checking, []);
}
