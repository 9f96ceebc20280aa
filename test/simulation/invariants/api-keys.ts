import { kindOf } from "#lib/store/keys.ts";
import { apiKeysOf, communitiesOf, ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

const most = 20;

/** The limit of keys holds, and each creation and revocation of a key has exactly one entry in the activity. */
export function assertApiKeys(world: World): void {
  const all = apiKeysOf(world);
  for (const community of communitiesOf(world) as readonly { readonly id: number; readonly ownership?: number }[]) {
    const { id, ownership = 0 } = community;
    const valid = all.filter(
      ({ community_id, right, expires_at }) =>
        community_id === id && right.ownership === ownership && expires_at * 1000 > world.timeline.now,
    );
    if (valid.length > most) world.violate("api keys", `community ${id} has ${valid.length} valid keys`);
  }

  const changes = new Map<string, number>();
  const count = (name: string, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  for (const { dynamodb } of world.storage.stream.records) {
    const { Keys, OldImage, NewImage } = dynamodb;
    if (kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "apiKey" || OldImage?.pk) continue;
    count(String(NewImage?.id?.N), 1);
  }
  const stored = new Set(all.map(({ id }) => id));
  for (const { action, record } of ofKind(world, "activity")) {
    const { id } = (record ?? {}) as { id: number };
    if (action === "api_key_created") count(String(id), -1);
    if (action === "api_key_revoked" && stored.has(id))
      world.violate("api keys", `key ${id} was revoked and is stored`);
  }
  for (const [id, difference] of changes)
    if (difference !== 0) world.violate("audit entries", `API key ${id}: ${difference} creations without an entry`);
}
