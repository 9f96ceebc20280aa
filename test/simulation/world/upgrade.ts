import { keys, lastIdOf, prefixOf } from "#lib/store/keys.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { Chance } from "../chance.ts";
import { isOfMember } from "../invariants/audit.ts";
import { type Movement, naiveSums } from "../invariants/series.ts";
import { itemToWire } from "../table/native.ts";
import { Crashed } from "./invocation.ts";
import { communitiesOf, membersOf, ofKind } from "./records.ts";
import { rebuildOnce } from "./schedules.ts";
import type { World } from "./world.ts";

/** Attributes of a member that an earlier version did not store. */
const unknown = ["access_pk", "recorded_since", "paid_cents_by_day", "disputed_cents_by_day", "first_paying_at"];

/** Reduces some or all members to what an earlier version stored. That version did not count by day. */
export function downgrade(world: World): void {
  const chance = new Chance(`${world.seed} downgrade`);
  const share = chance.pick([0.5, 1]) ?? 1;
  const { storage } = world.storage;
  for (const { id } of membersOf(world)) if (chance.is(share)) world.unrecorded.add(id);
  for (const item of Array.from(storage.items())) {
    const { status_pk: _, ...unlisted } = item;
    const pk = item.pk?.S ?? "";
    if (item.sk?.S?.startsWith("ACTIVITY#") && isOfMember({ pk, sk: "" }) && world.unrecorded.has(lastIdOf({ sk: pk })))
      world.replaceUnseen(item, unlisted);
    if (item.sk?.S?.startsWith(prefixOf("listedMovement").sk)) world.replaceUnseen(item, undefined);
    const id = Number((item.member_id ?? item.id)?.N);
    if (!world.unrecorded.has(id)) continue;
    if (item.sk?.S?.startsWith("MOVEMENT#")) world.replaceUnseen(item, undefined);
    if (!item.sk?.S?.startsWith("MEMBER#") || item.sync_version === undefined) continue;
    world.replaceUnseen(item, Object.fromEntries(Object.entries(item).filter(([name]) => !unknown.includes(name))));
  }
  for (const item of Array.from(storage.items()))
    if (item.pk?.S?.endsWith("#SERIES")) world.replaceUnseen(item, undefined);
  const movements = ofKind(world, "movement") as unknown as (Movement & { readonly pk: string })[];
  for (const { id } of communitiesOf(world)) {
    const own = movements.filter(({ pk }) => pk === keys.movement(id, 0, "", 0).pk);
    for (const [on, sums] of naiveSums(world, id, own))
      world.replaceUnseen(undefined, itemToWire({ ...keys.sums(id, on), ...sums }));
  }
  world.past.clear();
  world.isPastUnknown = true;
  world.journal.note(`${world.unrecorded.size} members are as an earlier version stored them`);
}

/**
 * Migrates the data while acts continue and statistics may be rebuilt. Repeats the migration if it is interrupted or
 * the table fails.
 */
export async function migrateMeanwhile(world: World): Promise<void> {
  const chance = new Chance(`${world.seed} migration`);
  const rebuilding = chance.is(0.5) ? world.busy(rebuildOnce(world, { isSluggish: chance.is(0.5) })) : undefined;
  for (let run = 1; ; run++) {
    const lifetime = run < 4 && chance.is(0.7) ? chance.integer(20, 4000) : 3_600_000;
    const outcome = await world.busy(migrateOnce(world, lifetime, { isSluggish: chance.is(0.5), continues: run > 1 }));
    world.journal.note(`migration: ${outcome}`);
    if (outcome === "done") break;
  }
  await rebuilding;
  world.isPastUnknown = false;
}

type Run = { readonly isSluggish: boolean; readonly continues: boolean };

const migrateOnce = (world: World, lifetime: number, { isSluggish, continues }: Run): Promise<string> =>
  world
    .invoke("migrate", { lifetime, isSluggish }, async (mount) => {
      const { leftOut } = await migrate(mount.table(), { isDryRun: false, continues, onProgress: () => {} });
      return leftOut[0] ?? "done";
    })
    .catch((error: unknown) => (error instanceof Crashed ? "crashed" : String(error)));
