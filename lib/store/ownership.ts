import * as v from "valibot";
import type { Grantor } from "../values/lasting-right.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";

const StoredGrantor = v.object({ ownership: v.optional(v.number()) });

/** A community, as far as lasting rights in it depend on it: one strongly consistent read. */
export async function grantorOf(table: Reader, communityId: number): Promise<Grantor> {
  return v.parse(StoredGrantor, (await table.get(keys.community(communityId))) ?? {});
}

/**
 * The table for a request that the owner of a community was authorized for. All of its transactions check that the
 * community has not been transferred since, and throw a `Conflict` otherwise, so that the request is authorized anew.
 */
export const whileOwned = (table: Writer, { id, ownership }: Grantor & { readonly id: number }): Writer => ({
  ...table,
  condition: { check: keys.community(id), is: { ownership } },
});
