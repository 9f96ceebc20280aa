import type { Reader } from "../store/table.ts";
import * as users from "../store/users.ts";

/** Reads the person in the path. */
export async function userInPath({
  params,
  table,
}: {
  readonly params: { readonly id: number };
  readonly table: Reader;
}) {
  return { record: (await users.find(table, params.id)) ?? null };
}
