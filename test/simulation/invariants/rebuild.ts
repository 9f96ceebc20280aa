import { rebuild } from "#lib/projections/rebuild.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { communitiesOf, itemsOf, membersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** A rebuild finds no wrong statistics. */
export async function assertNothingToRebuild(world: World): Promise<void> {
  // A rebuild waits only if it finds differences.
  const context = { table: world.table, now: () => world.now, pause: () => world.timeline.wait(500) };
  for (const { id } of communitiesOf(world)) {
    const wrong = await rebuild({ ...context, isDryRun: true }, id).catch((error: unknown) => [String(error)]);
    if (wrong.length > 0) world.violate("rebuild", `community ${id}: ${wrong.join(", ")}`);
  }
}

/** All members have recorded movements, and another migration changes nothing. */
export async function assertMigrated(world: World): Promise<void> {
  const { pk: completed, sk } = keys.progress("migrations");
  // Excludes members whose check has failed: they are in the list of failed tasks and get another row.
  const isCompared = (item: Item) =>
    !(item.pk === completed && item.sk === sk) && (item.pk !== "DUE" || !world.setBack.has(String(item.member_id)));
  const stored = () => JSON.stringify(itemsOf(world).filter(isCompared));
  const before = stored();
  const { changed, leftOut } = await migrate(world.table, { isDryRun: false, onProgress: () => {} });
  for (const line of leftOut) world.violate("migrated", `a second migration leaves out ${line}`);
  if (stored() !== before) world.violate("migrated", `a second migration changes ${JSON.stringify(changed)}`);
  for (const { id, recorded_since } of membersOf(world))
    if (recorded_since === undefined) world.violate("migrated", `the movements of member ${id} are not recorded`);
}
