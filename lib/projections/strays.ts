import { keyOf, rowFrom } from "../store/directory-rows.ts";
import { type Key, keys } from "../store/keys.ts";
import type { Writer } from "../store/table.ts";
import { write } from "../store/write.ts";

/**
 * Takes rows out of the directory that no community says are its own.
 *
 * @returns what was wrong
 */
export async function removeStrays(table: Writer, { isDryRun = false } = {}): Promise<string[]> {
  const wrong: string[] = [];
  let after: Key | undefined;
  do {
    const page = await table.query({ pk: keys.directoryRow(0, 0).pk, after });
    for (const item of page.items) {
      const { id, is_listed } = rowFrom(item);
      const sk = String(item.sk);
      // Read after the row: had the community moved it meanwhile, the row would be gone.
      const community = is_listed ? await table.get(keys.community(id)) : undefined;
      if (!is_listed || community?.directory_key === sk) continue;
      wrong.push(`community ${id} does not know its directory row ${sk}`);
      if (!isDryRun) await write(table, [{ delete: keyOf(sk) }]);
    }
    after = page.last;
  } while (after);
  return wrong;
}
