import { newApiKey } from "#lib/auth/api-key.ts";
import { newId } from "#lib/ids.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import * as communities from "#lib/store/communities.ts";
import type { Writer } from "#lib/store/table.ts";
import { people } from "./people.ts";

const communityId = 1;

const given = [
  { name: "Warehouse", role: "support" },
  { name: "Web shop", role: "viewer" },
] as const;

/** Adds API keys to the first community. Nobody knows their secrets. */
export async function addApiKeys(table: Writer, now: Date): Promise<void> {
  for (const [n, fields] of given.entries()) {
    const community = await communities.open(table, communityId);
    const at = new Date(now.getTime() + n * 1000);
    const id = newId(at, table.runtime.random);
    const { key: _, ...stored } = newApiKey(id, table.runtime);
    const by = { id: people.owner.id, requestId: "demo", now: at };
    await apiKeys.add(table, community, await apiKeys.listOf(table, community), { ...fields, id, ...stored }, by);
  }
}
