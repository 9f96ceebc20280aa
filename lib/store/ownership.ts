import * as v from "valibot";
import type { Grantor } from "../values/lasting-right.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";

const StoredGrantor = v.object({ ownership: v.optional(v.number()) });

/** The attributes of a community that lasting rights depend on: one strongly consistent read. */
export async function grantorOf(table: Reader, communityId: number): Promise<Grantor> {
  return v.parse(StoredGrantor, (await table.get(keys.community(communityId))) ?? {});
}

/**
 * The table for a request that was authorized as the owner of a community. All transactions throw a `Conflict` if the
 * community has been transferred since, so that the request is authorized again.
 */
export const whileOwned = (table: Writer, { id, ownership }: Grantor & { readonly id: number }): Writer => ({
  ...table,
  condition: { check: keys.community(id), is: { ownership } },
});
