import { keyOf, rowFrom } from "../store/directory-rows.ts";
import { type Key, keys } from "../store/keys.ts";
import type { Writer } from "../store/table.ts";
import { write } from "../store/write.ts";

/**
 * Removes directory rows to which no community refers.
 *
 * @returns descriptions of the removed rows
 */
export async function removeStrays(table: Writer, { isDryRun = false } = {}): Promise<string[]> {
  const wrong: string[] = [];
  let after: Key | undefined;
  do {
    const page = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
    const rows = page.items.map((item) => ({ ...rowFrom(item), sk: String(item.sk) })).filter((row) => row.is_listed);
    // Read after the rows. If a community has moved its row between both reads, the old row no longer exists.
    const communities = await table.getAll(rows.map(({ id }) => keys.community(id)));
    const known = new Set(communities.map(({ directory_key }) => directory_key));
    for (const { id, sk } of rows) {
      if (known.has(sk)) continue;
      wrong.push(`community ${id} does not know its directory row ${sk}`);
      if (!isDryRun) await write(table, [{ delete: keyOf(sk) }]);
    }
    after = page.last;
  } while (after);
  return wrong;
}
