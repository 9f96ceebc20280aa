import { endSubscription } from "../billing/cancellation.ts";
import { deleteCustomer } from "../billing/checkout.ts";
import type { BillingContext } from "../billing/context.ts";
import { closeSessions } from "../billing/sessions.ts";
import { syncMember } from "../billing/sync.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { Blocker, CanceledSubscription, ErasureAnswer } from "../domain/erasure.ts";
import { Problem } from "../problem.ts";
import { backOff } from "../runtime.ts";
import type { Actor } from "../store/activity.ts";
import { decideAgain } from "../store/again.ts";
import * as customers from "../store/customers.ts";
import * as erasures from "../store/erasures.ts";
import { Conflict } from "../store/failure.ts";
import { keys } from "../store/keys.ts";
import * as members from "../store/members/members.ts";
import * as memberships from "../store/members/memberships.ts";
import { findLink } from "../store/members/sync.ts";
import type { Reader } from "../store/table.ts";
import { leaveAll } from "../store/team-places.ts";
import * as users from "../store/users.ts";
import { blockersOf, type Cancellation, type Cancels, operationIdOf } from "./blockers.ts";
import type { Outside } from "./outside.ts";
import { countsOf, itemsOf, namedBy, sweep } from "./sweep.ts";

export type ErasureContext = BillingContext & { readonly outside: Outside };

/** Time after which the schedule checks a completed erasure again. Concurrent writers have ended by then. */
export const lookAgainMs = 60 * 60_000;

type Request = {
  readonly dryRun: boolean;
  /** Whether the erasure cancels subscriptions. */
  readonly cancelsSubscriptions: boolean;
  readonly actor: Actor;
  /** Time of the request's first attempt. */
  readonly begunAt: Date;
};

/**
 * Erases a person (`docs/api.md`, section 11). First cancels subscriptions if requested, then marks the person as erased.
 * After the mark, another request or the schedule can resume the erasure. Returns the stored result of a completed erasure.
 *
 * @throws Problem `erasure_blocked`, or `outcome_unknown` for a failure after the mark
 */
export async function erase(
  context: ErasureContext,
  user: users.User,
  { dryRun, cancelsSubscriptions, actor, begunAt }: Request,
): Promise<ErasureAnswer> {
  const { table } = context;
  const known = await erasures.find(table, user.id);
  const cancels = cancelsSubscriptions && !known ? { since: begunAt } : undefined;
  if (dryRun) {
    const found = known?.finished_at ? undefined : await blockersOf(context, user.id, cancels);
    const counts = known?.counts ?? (await counted(table, await withAccount(context, user)));
    return {
      erased: Boolean(known?.finished_at),
      dry_run: true,
      blockers: found?.blockers ?? [],
      cancels: shown(found?.cancellations.filter(({ isLive }) => isLive) ?? []),
      counts: inOrder(counts),
    };
  }
  if (!known)
    await assertNothingBlocks(context, user.id, cancels ? await cancelAll(context, user, cancels, actor) : []);
  const erasure = known ?? (await begin(context, user, actor));
  if (erasure.finished_at === null) await resume(context, erasure).catch(throwAfterMark);
  return { erased: true, dry_run: false, blockers: [], cancels: [], counts: inOrder(erasure.counts) };
}

/** Marks a person as erased, and stores which account to delete. */
async function begin(context: ErasureContext, person: users.User, actor: Actor | undefined): Promise<erasures.Erasure> {
  const { table } = context;
  const user = await withAccount(context, person);
  return erasures.begin(table, user, await counted(table, user), actor);
}

/** A person with the account to delete and its address. An account that belongs to another profile is kept. */
async function withAccount({ table, outside }: ErasureContext, person: users.User): Promise<erasures.ErasedPerson> {
  const found = await outside.accountOf(person);
  const subject = found === null || found === person.sub ? undefined : await table.get(keys.subject(found));
  const sub = subject && users.userIdOf(subject) !== person.id ? person.sub : found;
  return { ...person, sub, account_email: sub === null ? undefined : await outside.addressOf(sub) };
}

/**
 * Cancels the subscriptions of a person immediately, unless something else prevents the erasure.
 *
 * @returns the canceled subscriptions, including those of earlier attempts
 * @throws Problem `erasure_blocked`
 */
async function cancelAll(context: ErasureContext, { id }: users.User, cancels: Cancels, actor: Actor) {
  const { blockers, cancellations } = await blockersOf(context, id, cancels);
  assertNone(blockers, canceledOf(cancellations));
  for (const { link, subscription_id } of cancellations) {
    const member = await syncMember(context, link);
    const operationId = operationIdOf(subscription_id);
    const by = { actorId: actor.id, requestId: actor.requestId, fingerprint: null };
    if (member)
      await endSubscription(context, member, subscription_id, {
        operationId,
        ...by,
        begunAt: context.now,
        isConditional: false,
      });
  }
  return cancellations;
}

const canceledOf = (cancellations: readonly Cancellation[]) => cancellations.filter(({ isLive }) => !isLive);

const shown = (cancellations: readonly Cancellation[]): CanceledSubscription[] =>
  cancellations.map(({ link: { community_id, member_id }, tier }) => ({ community_id, member_id, tier }));

/** Throws `outcome_unknown` instead of a 4xx problem, because the person is marked and the schedule resumes the erasure. */
function throwAfterMark(error: unknown): never {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  throw new Problem("outcome_unknown", {
    detail: `The erasure has begun and will be completed as soon as nothing prevents it. ${error.message}`,
    headers: { "retry-after": "60" },
    ...(error.code === "erasure_blocked" && { more: error.more }),
    cause: error,
  });
}

/** Sorts the counts, so that a repeated request gets the same text. The table does not keep their order. */
const inOrder = (counts: ErasureAnswer["counts"]): ErasureAnswer["counts"] =>
  JSON.parse(canonicalJson(counts)) as ErasureAnswer["counts"];

/**
 * Repeats an erasure in a table that was restored to a time before it.
 *
 * @returns `unknown` if the restored table has no such person
 */
export async function replay(
  context: ErasureContext,
  userId: number,
): Promise<"erased" | "already_erased" | "unknown"> {
  const { table } = context;
  const [known, user] = await Promise.all([erasures.find(table, userId), users.find(table, userId)]);
  if (known?.finished_at) return "already_erased";
  if (!user) return "unknown";
  // An account with their address may be one with which they have signed up again since.
  const outside: Outside = { ...context.outside, accountOf: async ({ sub }) => sub };
  await resume(context, known ?? (await begin({ ...context, outside }, user, undefined)));
  return "erased";
}

async function assertNothingBlocks(
  context: ErasureContext,
  userId: number,
  canceled: readonly Cancellation[] = [],
): Promise<void> {
  const { blockers } = await blockersOf(context, userId);
  assertNone(blockers, canceled);
}

/** @param canceled subscriptions that the request has canceled */
function assertNone(blockers: readonly Blocker[], canceled: readonly Cancellation[]): void {
  if (blockers.length === 0) return;
  const listed = blockers.map(({ code, community_id }) => `${code} in community ${community_id}`);
  const hasEffect = canceled.length > 0;
  throw new Problem("erasure_blocked", {
    detail: `Blocked by ${listed.join(", ")}${hasEffect ? ". Subscriptions were canceled before" : ""}`,
    more: { blockers, ...(hasEffect && { canceled: shown(canceled) }) },
    ...(hasEffect && { afterEffect: true }),
  });
}

/** Number of items that an erasure would change or delete, by kind. */
async function counted(table: Reader, user: erasures.ErasedPerson): Promise<ErasureAnswer["counts"]> {
  const [items, places] = await Promise.all([itemsOf(table, namedBy(user)), customers.placesOf(table, user.id)]);
  return {
    ...countsOf(items),
    stripe_customer: places.filter(({ customer_id }) => customer_id !== null).length,
    pool_account: user.sub === null ? 0 : 1,
  };
}

/**
 * Performs all steps after the mark. Each step is idempotent, so an interrupted erasure starts again from the first
 * step. Blockers that appeared after the mark, such as a concurrent checkout, must end first.
 *
 * @throws Problem `erasure_blocked`
 */
export async function resume(context: ErasureContext, erasure: erasures.Erasure): Promise<void> {
  const { table, billing, outside } = context;
  const { user_id, sub, begun_at } = erasure;
  await leaveAll(table, user_id);
  await markMemberships(context, erasure);
  await outside.record(user_id, begun_at);

  const places = await customers.placesOf(table, user_id);
  const ids = places.flatMap(({ customer_id }) => customer_id ?? []);
  for (const customer of ids) await settle(context, customer);
  await assertNothingBlocks(context, user_id);
  for (const customer of ids) await deleteCustomer(billing, customer);
  for (const place of places) if (place.customer_id !== null) await endMembership(context, place);

  await sweep(table, { ...erasure, id: user_id });
  if (sub !== null) await outside.deleteAccount(sub);
  const now = table.runtime.now();
  await erasures.finish(table, erasure, now, new Date(now.getTime() + lookAgainMs).toISOString()).catch(ignoreConflict);
}

/** Ignores a conflict, which means that a concurrent run has written the same changes. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

const attempts = 8;

async function markMemberships({ table }: ErasureContext, erasure: erasures.Erasure): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      const found = await memberships.ofUser(table, erasure.user_id);
      for (const membership of found) await erasures.markMembership(table, erasure, membership);
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      await backOff(table.runtime, tried);
    }
  }
}

/** Ends the membership of a deleted customer if Stripe has not reported its end. */
const endMembership = (
  { table }: ErasureContext,
  { community_id, member_id }: customers.CustomerPlace,
): Promise<void> =>
  decideAgain(table, async () => {
    const member = await members.find(table, community_id, member_id);
    if (member) await erasures.endErased(table, member);
  });

/** Expires open checkouts of a customer, and synchronizes their member a last time, because payments are kept. */
async function settle(context: ErasureContext, customer: string): Promise<void> {
  await closeSessions(context.billing, customer);
  const link = await findLink(context.table, customer);
  if (link) await syncMember(context, link);
}
