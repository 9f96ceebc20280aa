import { keys } from "#lib/store/keys.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { handler as fallback } from "../../../functions/system/fallback.ts";
import { handler as health } from "../../../functions/system/health.ts";
import type { Act, Repertoire } from "./act.ts";
import { noteBlock } from "./blocking.ts";
import { admin } from "./scene.ts";

const minute = 60_000;

/** Redrives failed records as soon as there are some, or after two hours. */
const redrive: Act = async ({ world }) => {
  for (let wait = 0; wait < 12 && world.failedRecords.stored.size === 0; wait++) await world.timeline.wait(10 * minute);
  await world.busy(world.consumers.redrive());
};

/** Makes a statistic wrong, and rebuilds the statistics while members are blocked and unblocked. */
const miscountAndRepair: Act = async (scene) => {
  const { chance, world } = scene;
  const community = scene.community();
  const items = Array.from(world.storage.storage.items());
  const pk = keys.stats(community.id).pk;
  const stats = items.find((item) => item.pk?.S === pk && item.sk?.S === keys.stats(community.id).sk);
  if (!stats) return;
  const joiners = { N: String(Number(stats.joiners?.N) + 1) };
  world.replaceUnseen(stats, { ...stats, joiners });
  const rebuilding = world.busy(world.schedules.rebuildOnce(world, { isSluggish: true }));
  // Another operator may run a rebuild at the same time.
  const delay = chance.integer(500, 20_000);
  const another = chance.is(0.4)
    ? world.busy(world.timeline.wait(delay).then(() => world.schedules.rebuildOnce(world)))
    : [];
  for (let n = 0; n < 12; n++) {
    await world.timeline.wait(chance.integer(1000, 4000));
    const member = scene.member(community.id);
    if (!member) continue;
    const call = { as: admin, params: { community_id: community.id, id: member.id } };
    const outcome = await scene.send(member.is_blocked ? unblock : block, { ...call, body: {} });
    noteBlock(scene, { ...call, member, community }, !member.is_blocked, outcome);
  }
  const lines = [...(await rebuilding), ...(await another)];
  if (!lines.some((line) => line.startsWith(`community ${community.id}: `))) world.isMiscounted = true;
};

/** People who operate the system, and failures of its machines. */
export const operators: Repertoire = {
  weight: 8,
  acts: {
    rebuild: [2, ({ world }) => world.busy(world.schedules.rebuildOnce(world))],
    repair: [2, miscountAndRepair],
    compact: [3, ({ world }) => world.busy(world.schedules.compactOnce(world))],
    reconcile: [3, ({ world }) => world.busy(world.schedules.reconcileOnce(world))],
    checkHealth: [
      1,
      async (scene) => {
        await scene.call(health, {});
        await scene.call(fallback, {});
      },
    ],
    redrive: [4, redrive],
    restart: [
      3,
      async ({ world, chance }) => {
        const place = chance.integer(0, world.environments.length - 1);
        world.journal.note(`environment ${place} starts anew`);
        world.restart(place);
      },
    ],
    expire: [2, async ({ world }) => world.schedules.expireItems(world, 0.5)],
  },
};
