import { endSubscription } from "../billing/cancellation.ts";
import { deleteCustomer, expireSessions } from "../billing/checkout.ts";
import type { BillingContext } from "../billing/context.ts";
import { isUnknownCustomer } from "../billing/stripe.ts";
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
import * as members from "../store/members/members.ts";
import * as memberships from "../store/members/memberships.ts";
import { findLink } from "../store/members/sync.ts";
import type { Reader } from "../store/table.ts";
import * as users from "../store/users.ts";
import { blockersOf, type Cancellation, type Cancels, operationIdOf } from "./blockers.ts";
import type { Outside } from "./outside.ts";
import { countsOf, itemsOf, namedBy, sweep } from "./sweep.ts";

export type ErasureContext = BillingContext & { readonly outside: Outside };

/** When the schedule looks at an erasure again that is done: whoever was writing meanwhile has ended by then. */
const lookAgainMs = 60 * 60_000;

type Request = {
  readonly dryRun: boolean;
  /** Whether subscriptions are canceled for it. */
  readonly cancelsSubscriptions: boolean;
  readonly actor: Actor;
  /** When the request was made first. */
  readonly begunAt: Date;
};

/**
 * Erases a person (`docs/api.md`, section 11). Subscriptions are canceled before, if the request says so. The person is
 * marked first, and the erasure can be resumed from there: by another request or by the schedule. One that is done is
 * answered as it was.
 *
 * @throws Problem `erasure_blocked`, and `outcome_unknown` where something came in the way after the mark
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
    const counts = known?.counts ?? (await counted(table, user));
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
  const erasure = known ?? (await erasures.begin(table, user, await counted(table, user), actor));
  if (erasure.finished_at === null) await resume(context, erasure).catch(throwAfterMark);
  return { erased: true, dry_run: false, blockers: [], cancels: [], counts: inOrder(erasure.counts) };
}

/**
 * Cancels the subscriptions of a person immediately, unless something else prevents the erasure.
 *
 * @returns what has been canceled, by an earlier attempt at the request too
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

/** The person is marked already, and the schedule goes on: a refusal would say that nothing has changed. */
function throwAfterMark(error: unknown): never {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  throw new Problem("outcome_unknown", {
    detail: `The erasure has begun and will be completed as soon as nothing prevents it. ${error.message}`,
    headers: { "retry-after": "60" },
    ...(error.code === "erasure_blocked" && { more: error.more }),
    cause: error,
  });
}

/** In one order, however the table returns it: a repeated request is answered with the same text. */
const inOrder = (counts: ErasureAnswer["counts"]): ErasureAnswer["counts"] =>
  JSON.parse(canonicalJson(counts)) as ErasureAnswer["counts"];

/**
 * Repeats an erasure in a table that was restored from a copy of an earlier time, whatever that copy says.
 *
 * @returns `unknown` where the copy has no such person
 */
export async function replay(
  context: ErasureContext,
  userId: number,
): Promise<"erased" | "already_erased" | "unknown"> {
  const { table } = context;
  const [known, user] = await Promise.all([erasures.find(table, userId), users.find(table, userId)]);
  if (known?.finished_at) return "already_erased";
  if (!user) return "unknown";
  await resume(context, known ?? (await erasures.begin(table, user, await counted(table, user), undefined)));
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

/** @param canceled what the request has canceled before */
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

/** What an erasure would change or delete, by kind. */
async function counted(table: Reader, user: users.User): Promise<ErasureAnswer["counts"]> {
  const [items, places] = await Promise.all([itemsOf(table, namedBy(user)), customers.placesOf(table, user.id)]);
  return {
    ...countsOf(items),
    stripe_customer: places.filter(({ customer_id }) => customer_id !== null).length,
    pool_account: user.sub === null ? 0 : 1,
  };
}

/**
 * Does all steps of an erasure that is marked. Each can be repeated, so that one that was interrupted begins again. What
 * came in the way after the mark, such as a checkout that was completed at that moment, is waited for.
 *
 * @throws Problem `erasure_blocked`
 */
export async function resume(context: ErasureContext, erasure: erasures.Erasure): Promise<void> {
  const { table, billing, outside } = context;
  const { user_id, sub, begun_at } = erasure;
  await markMemberships(context, erasure);
  await outside.record(user_id, begun_at);

  const places = await customers.placesOf(table, user_id);
  const ids = places.flatMap(({ customer_id }) => customer_id ?? []);
  for (const customer of ids) await settle(context, customer);
  await assertNothingBlocks(context, user_id);
  for (const customer of ids) await deleteCustomer(billing, customer);
  for (const place of places) if (place.customer_id !== null) await endMembership(context, place);

  await sweep(table, { id: user_id, sub });
  if (sub !== null) await outside.deleteAccount(sub);
  const now = table.runtime.now();
  await erasures.finish(table, erasure, now, new Date(now.getTime() + lookAgainMs).toISOString()).catch(ignoreConflict);
}

/** A concurrent run has already recorded it. */
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

/** Ends open checkouts of a customer, and copies for the last time what Stripe holds: payments are kept. */
async function settle(context: ErasureContext, customer: string): Promise<void> {
  await expireSessions(context.billing, customer).catch((error: unknown) => {
    // One that was completed meanwhile is canceled and refunded by the synchronization.
    const isCompleted = error instanceof Problem && error.code === "already_a_member";
    if (!isCompleted && !isUnknownCustomer(error, customer)) throw error;
  });
  const link = await findLink(context.table, customer);
  if (link) await syncMember(context, link);
}
