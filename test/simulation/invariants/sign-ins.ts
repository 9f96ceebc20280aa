import { kindOf } from "#lib/store/keys.ts";
import { ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

type Mark = { readonly userId: number; readonly sub: string | undefined; readonly at: number };

/** When people were marked as erased, and the `sub` that they had. */
function marksOf(world: World): Mark[] {
  return world.changes.flatMap(({ at, record: { dynamodb } }) => {
    const { Keys, OldImage, NewImage } = dynamodb;
    const isNew = OldImage === undefined && NewImage !== undefined;
    if (!isNew || kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "erasure") return [];
    return [{ userId: Number(NewImage.user_id?.N), sub: NewImage.sub?.S, at }];
  });
}

/** Whoever is erased gets no claims and no access from then on, and has no account once the erasure is done. */
export function assertErasedStayOut(world: World): void {
  const { issued, visits, living } = world.userPool;
  const done = new Map(
    ofKind(world, "erasure").map(({ user_id, finished_at }) => [user_id, Date.parse(String(finished_at))]),
  );
  for (const { userId, sub, at } of marksOf(world)) {
    const wrong = (text: string) => world.violate("erased people", `user ${userId} was erased at ${at}, and ${text}`);
    for (const one of issued)
      if (one.from > at && (one.userId === userId || one.account.sub === sub))
        wrong(`${one.account.sub} got claims of user ${one.userId} at ${one.to}`);
    const doneAt = done.get(userId) || Number.POSITIVE_INFINITY;
    for (const { me, membership } of visits.filter((visit) => visit.userId === userId)) {
      if (me.from >= at && me.status < 400) wrong(`was shown ${me.text} at ${me.from}`);
      const { access } = membership.body as { readonly access?: { readonly granted: boolean } };
      if (membership.from > doneAt && access?.granted) wrong(`had access at ${membership.from}: ${membership.text}`);
    }
    if (doneAt < world.timeline.now && living.some((one) => one.sub === sub)) wrong("has an account");
  }
}

/** A profile goes from one account to another only if the first is gone, and the other has proven its mailbox. */
export function assertTakeOvers(world: World): void {
  const { issued } = world.userPool;
  const firstSubs = new Map<number, string | undefined>();
  for (const { record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    const id = Number(NewImage?.id?.N);
    if (!NewImage || firstSubs.has(id) || kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "user") continue;
    firstSubs.set(id, NewImage.sub?.S);
  }
  for (const { userId, account, to } of issued) {
    const wrong = (text: string) => world.violate("take-overs", `${account.sub} is user ${userId}, and ${text}`);
    if (firstSubs.get(userId) !== account.sub && account.provenAt > to) wrong("has not proven the mailbox");
    for (const other of issued)
      if (other.userId === userId && other.account !== account && other.to < to && other.account.goneAt > to)
        wrong(`${other.account.sub} is still there`);
  }
}
