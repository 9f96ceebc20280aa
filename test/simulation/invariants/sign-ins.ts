import { kindOf } from "#lib/store/keys.ts";
import type { World } from "../world/world.ts";

type Erasure = { readonly userId: number; readonly sub: string | undefined; readonly at: number; doneAt: number };

/** People who are marked as erased, with the time of the mark and of the completion. */
export function erasuresOf(world: World): Erasure[] {
  const found = new Map<number, Erasure>();
  for (const { at, record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    if (!NewImage || kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" }) !== "erasure") continue;
    const userId = Number(NewImage.user_id?.N);
    const erasure = found.get(userId) ?? { userId, sub: NewImage.sub?.S, at, doneAt: Number.POSITIVE_INFINITY };
    if (NewImage.finished_at?.S !== undefined) erasure.doneAt = Math.min(erasure.doneAt, at);
    found.set(userId, erasure);
  }
  return [...found.values()];
}

/** Marked people get no claims and no access, and have no account once the erasure is complete. */
export function assertErasedStayOut(world: World): void {
  const { issued, visits, living } = world.userPool;
  for (const { userId, sub, at, doneAt } of erasuresOf(world)) {
    const wrong = (text: string) => world.violate("erased people", `user ${userId} was erased at ${at}, and ${text}`);
    for (const { from, to, account, userId: issuedFor } of issued)
      if (from > at && (issuedFor === userId || account.sub === sub))
        wrong(`${account.sub} got claims of user ${issuedFor} at ${to}`);
    for (const { me, membership } of visits.filter((visit) => visit.userId === userId)) {
      if (me.from >= at && me.status < 400) wrong(`was shown ${me.text} at ${me.from}`);
      const { access } = membership.body as { readonly access?: { readonly granted: boolean } };
      if (membership.from > doneAt && access?.granted) wrong(`had access at ${membership.from}: ${membership.text}`);
    }
    if (doneAt < world.timeline.now && living.some((account) => account.sub === sub)) wrong("has an account");
  }
}

/**
 * A profile moves to another account only if the first account is deleted and the other one has verified the mailbox.
 */
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
