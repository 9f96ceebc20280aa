import type { Item } from "./expression.ts";
import type { QueryInput, Reader } from "./table.ts";

/** All items of a query: one round trip per megabyte. */
export async function queryAll(table: Reader, input: Omit<QueryInput, "after" | "limit">): Promise<Item[]> {
  const found: Item[] = [];
  let after: QueryInput["after"];
  do {
    const { items, last } = await table.query({ ...input, after });
    found.push(...items);
    after = last;
  } while (after);
  return found;
}
