import { newApiKey } from "#lib/auth/api-key.ts";
import { newId } from "#lib/ids.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import * as communities from "#lib/store/communities.ts";
import type { Writer } from "#lib/store/table.ts";
import { people } from "./people.ts";

const communityId = 1;

/** Adds an API key to the first community. Nobody knows its secret. */
export async function addApiKey(table: Writer, now: Date): Promise<void> {
  const community = await communities.open(table, communityId);
  const id = newId(now, table.runtime.random);
  const { key: _, ...stored } = newApiKey(id, table.runtime);
  const by = { id: people.owner.id, requestId: "demo", now };
  await apiKeys.add(table, community, [], { name: "Warehouse", role: "support", id, ...stored }, by);
}
