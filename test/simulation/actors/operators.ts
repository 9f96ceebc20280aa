import { copyAgain } from "#lib/store/due.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { handler as fallback } from "../../../functions/system/fallback.ts";
import { handler as health } from "../../../functions/system/health.ts";
import { membersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { Act, Repertoire } from "./act.ts";
import { type Managed, setBlock } from "./blocking.ts";
import { admin, prepare, type Scene } from "./scene.ts";

const minute = 60_000;

/** Leaves a task about a member and one about their profile to the schedule, unless there is one already. */
async function leaveUnfinished({ table }: World, { community_id, id, user }: StoredMember): Promise<void> {
  const name = `profile ${user.id}`;
  const profile = { kind: "profile", user_id: user.id, name, failures: 1, is_set_aside: false };
  const put = { ...keys.failed(new Date(0).toISOString(), name), ...profile };
  await write(table, [{ put }]);
  await write(table, [copyAgain(community_id, id)]).catch(() => {});
}

/**
 * Blocks or unblocks another member of the subject's community. The consumer of statistics cannot read the change at
 * first, and sets it aside.
 */
async function failFor(scene: Scene): Promise<void> {
  const { chance, world } = scene;
  const community = scene.community();
  const isOther = (one: StoredMember) => one.community_id === community.id && one.id !== scene.subject()?.id;
  const member = chance.pick(membersOf(world).filter((one) => isOther(one) && one.status === "active"));
  if (!member) return;
  world.consumers.breakNext(keys.member(community.id, member.id));
  await switchBlock(scene, community, member);
}

/** Blocks a member, or unblocks a blocked one. */
const switchBlock = (scene: Scene, community: Managed["community"], member: StoredMember): Promise<unknown> => {
  const params = { community_id: community.id, id: member.id };
  return setBlock(scene, { member, community, as: admin, params }, !member.is_blocked, "send");
};

/**
 * Redrives failed records as soon as there are some, or after two hours, and again while records fail: the bucket keeps
 * them for 35 days.
 */
const redrive: Act = async (scene) => {
  const { world } = scene;
  if (scene.subject()) return redriveOwn(scene);
  for (let wait = 0; wait < 12 && !isAnyFailed(world); wait++) await world.timeline.wait(10 * minute);
  for (let attempt = 0; attempt < 10; attempt++) {
    await world.busy(world.consumers.redrive());
    if (!isAnyFailed(world)) return;
    await world.timeline.wait(10 * minute);
  }
};

const isAnyFailed = ({ failedRecords }: World): boolean => failedRecords.stored.size > 0;

/** Lets a record of the subject's community fail, and redrives it. Tries again if others have redriven it. */
async function redriveOwn(scene: Scene): Promise<void> {
  const { world } = scene;
  for (let attempt = 0; attempt < 3; attempt++) {
    await prepare(scene, () => failFor(scene));
    for (let wait = 0; wait < 30 && !isAnyFailed(world); wait++) await world.timeline.wait(6000);
    if (!isAnyFailed(world)) continue;
    return world.busy(world.consumers.redrive());
  }
}

/**
 * Deletes some of the expired items. With a subject, also deletes items as soon as they expire, for longer than rate
 * limits are stored.
 */
const expire: Act = async (scene) => {
  const { world, name } = scene;
  world.schedules.expireItems(world, 0.5);
  const end = world.timeline.now + 4 * minute;
  for (let next = 0; scene.subject() && (next = world.schedules.nextExpiry(world)) < end; ) {
    await world.timeline.wait(next - world.timeline.now);
    world.holds.meetings.startedAt({ name, run: name }, { target: "table" });
    world.schedules.expireItems(world, 1);
  }
};

/** Runs the schedule. It has to synchronize the act's subject and to copy their profile. */
const reconcile: Act = async (scene) => {
  const { world } = scene;
  const subject = scene.subject();
  if (subject) await prepare(scene, () => leaveUnfinished(world, subject));
  await world.busy(world.schedules.reconcileOnce(world));
};

/**
 * Runs the schedule with slow calls and a backlog, as after an outage, and if possible with an erasure that is due. With a
 * subject, the backlog is small, because the other act of the pair starts at one of the calls.
 */
const fallBehind: Act = async (scene) => {
  const { world } = scene;
  const { due = 0 } = world.schedules.nextErasure(world) ?? {};
  await world.timeline.wait(Math.max(0, due + 11 * minute - world.timeline.now));
  const subject = scene.subject();
  const backlog = subject ? [subject, ...membersOf(world).slice(0, 3)] : membersOf(world).slice(0, 20);
  for (const member of backlog) await prepare(scene, () => leaveUnfinished(world, member));
  await world.busy(world.schedules.reconcileOnce(world, { isSluggish: true }));
  // Another run may have found this one in progress.
  await world.busy(world.schedules.reconcileOnce(world));
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
    if (member) await switchBlock(scene, community, member);
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
    reconcile: [3, reconcile],
    fallBehind: [1, fallBehind],
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
    expire: [2, expire],
  },
};
