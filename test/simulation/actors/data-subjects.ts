import type { ErasureAnswer } from "#lib/domain/erasure.ts";
import type { Intent } from "#lib/domain/operation.ts";
import type { PersonalData } from "#lib/domain/personal-data.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import { handler as exportMine } from "../../../functions/me/data.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as exportData } from "../../../functions/users/data.ts";
import { handler as findPerson } from "../../../functions/users/list.ts";
import { membersOf, ofKind } from "../world/records.ts";
import { isOk, type Outcome } from "../world/requests.ts";
import type { Act, Repertoire } from "./act.ts";
import { admin, type Scene } from "./scene.ts";

/** Picks a person who may have a profile, from the setup, an import or a sign-in. */
function somebody(scene: Scene): number | undefined {
  const { chance, world } = scene;
  const draw = chance.is(0.6) ? chance.pick(world.people) : chance.pick(membersOf(world))?.user.id;
  return scene.subject() ? scene.person() : draw;
}

/** Records that an erasure was acknowledged. */
export function noteErasure({ world }: Scene, userId: number, { body, ...outcome }: Outcome): void {
  const answer = body as Partial<ErasureAnswer>;
  if (isOk({ ...outcome, body }) && answer.dry_run === false) world.erased.add(userId);
}

const erase: Act = async (scene) => {
  const { chance, world } = scene;
  const id = somebody(scene);
  if (id === undefined) return;
  const body = { dry_run: chance.is(0.1), cancel_subscriptions: chance.is(scene.subject() ? 0.8 : 0.3) };
  const authTime = Math.floor(world.timeline.now / 1000);
  const outcome = chance.is(0.3)
    ? await scene.call(world.erasing.me, { as: { id, authTime }, body })
    : await scene.call(world.erasing.anybody, { as: admin, params: { id }, body });
  noteErasure(scene, id, outcome);
};

/** A person leaves all communities and is then erased. */
const leave: Act = async (scene) => {
  const { world } = scene;
  const id = somebody(scene);
  if (id === undefined) return;
  for (const { community_id, id: member_id } of membersOf(world).filter(({ user }) => user.id === id))
    await scene.call(cancel, {
      as: admin,
      params: { community_id, id: member_id },
      body: { mode: "immediately", comment: `comment of ${scene.name}` },
    });
  await world.timeline.wait(scene.chance.next() * 3_600_000);
  noteErasure(
    scene,
    id,
    await scene.call(world.erasing.anybody, { as: admin, params: { id }, body: { dry_run: false } }),
  );
};

/** The payments that are stored about a person, and the cancellations that have not nearly expired, each as a short text. */
function recordsOf({ world }: Scene, id: number): Set<string> {
  const own = membersOf(world).filter(({ user }) => user.id === id);
  const partitions = new Set(own.map((member) => keys.memberParent(member.id).pk));
  const stored = (kind: "payment" | "operation") => ofKind(world, kind).filter(({ pk }) => partitions.has(pk));
  const soon = world.timeline.now / 1000 + 3600;
  const isKept = ({ expires_at = soon + 1 }: Item) => Number(expires_at) > soon;
  const cancellations = stored("operation").filter((one) => (one.intent as Intent).kind === "cancel" && isKept(one));
  return new Set([
    ...stored("payment").map((payment) => `payment ${String(payment.id)}`),
    ...cancellations.map(({ created_at }) => `cancellation ${String(created_at)}`),
  ]);
}

/** Exports a person's data, which must have what was stored before. */
async function exportAll(scene: Scene, id: number, request: () => Promise<Outcome>): Promise<void> {
  const stored = recordsOf(scene, id);
  const outcome = await request();
  if (!isOk(outcome)) return;
  const shown = new Set(
    (outcome.body as Partial<PersonalData>).memberships?.flatMap(({ payments, cancellations }) => [
      ...payments.map((payment) => `payment ${payment.id}`),
      ...cancellations.map(({ at }) => `cancellation ${at}`),
    ]),
  );
  const left = recordsOf(scene, id);
  const missing = [...stored].filter((record) => left.has(record) && !shown.has(record));
  if (missing.length > 0)
    scene.world.violate("acknowledged writes", `the export of person ${id} lacks ${missing.join()}`);
}

/** People who request an export or an erasure of their personal data. */
export const dataSubjects: Repertoire = {
  weight: 4,
  acts: {
    erase: [3, erase],
    leave: [5, leave],
    export: [
      3,
      async (scene) => {
        const id = somebody(scene);
        if (id === undefined) return;
        const email = scene.chance.pick(membersOf(scene.world))?.user.email || "nobody@example.com";
        await scene.call(findPerson, { as: admin, query: `email=${encodeURIComponent(email)}` });
        await exportAll(scene, id, () => scene.call(exportData, { as: admin, params: { id } }));
        await exportAll(scene, id, () => scene.call(exportMine, { as: { id } }));
      },
    ],
  },
};
