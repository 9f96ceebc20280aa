import { rebuild } from "#lib/projections/rebuild.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { communitiesOf, itemsOf, membersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** Whoever counts everything again finds nothing wrong. */
export async function assertNothingToRebuild(world: World): Promise<void> {
  // Only where something is wrong does time pass.
  const context = { table: world.table, now: () => world.now, pause: () => world.timeline.wait(500) };
  for (const { id } of communitiesOf(world)) {
    const wrong = await rebuild({ ...context, isDryRun: true }, id).catch((error: unknown) => [String(error)]);
    if (wrong.length > 0) world.violate("rebuild", `community ${id}: ${wrong.join(", ")}`);
  }
}

/** Everybody's movements are recorded, and whoever migrates again changes nothing. */
export async function assertMigrated(world: World): Promise<void> {
  // A member whose check has failed is in the list of failed tasks, and gets another row.
  const stored = () =>
    JSON.stringify(itemsOf(world).filter(({ pk, member_id }) => pk !== "DUE" || !world.setBack.has(String(member_id))));
  const before = stored();
  const { changed } = await migrate(world.table, { isDryRun: false, onProgress: () => {} });
  if (stored() !== before) world.violate("migrated", `a second migration changes ${JSON.stringify(changed)}`);
  for (const { id, recorded_since } of membersOf(world))
    if (recorded_since === undefined) world.violate("migrated", `the movements of member ${id} are not recorded`);
}
