import type { Intent, Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import { scheduledEnd } from "../store/due.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { changeTerm, endOf, isEnding, scheduledEndOf, type TermChange, withdrawalOf } from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { notErased } from "../store/users.ts";
import { clockMargin } from "../values/clock-margin.ts";
import { isEnded, sendCancellation } from "./cancel-at-stripe.ts";
import type { BillingContext } from "./context.ts";
import { actorOf } from "./derive.ts";
import { assertSameRequest, begin, linkOf, type OperationRequest, operationOf, resume } from "./operations.ts";
import { expireReplacements } from "./replacement.ts";
import { type Billing, undefinedIfMissing } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type Cancellation = Omit<Extract<Intent, { kind: "cancel" }>, "kind" | "subscription_id">;

/**
 * Cancels a membership at the end of the paid period or immediately, without a refund. Scheduling a cancellation twice has
 * no further effect. A scheduled cancellation can still be made immediate. A membership without a subscription in Stripe is
 * ended in the table: immediately, or by the schedule.
 *
 * @throws Problem `subscription_already_canceled`, `period_ended`, `idempotency_key_reused`, and the problems of Stripe
 */
export async function cancel(
  context: BillingContext,
  member: StoredMember,
  cancellation: Cancellation,
  request: OperationRequest,
): Promise<StoredMember> {
  const storedOperation = await operations.find(context.table, member.id, request.operationId);
  if (storedOperation) assertSameRequest(storedOperation, request);
  if (storedOperation?.state === "done") return latest(context, member);
  if (storedOperation?.state === "open" && (await hasEndedSince(context.billing, storedOperation)))
    return (await syncMember(context, linkOf(member))) ?? member;
  const subscription_id = subscriptionIdOf(member);
  // An incomplete subscription has no paid period.
  const mode = member.status === "incomplete" ? "immediately" : cancellation.mode;
  if (!storedOperation && mode === "at_period_end" && isEnding(member)) return member;
  if (subscription_id === null) return cancelLocally(context, member, { ...cancellation, mode }, request);
  await expireReplacements(context.billing, member);
  const operation = storedOperation
    ? await resume(context, storedOperation)
    : await begin(context, member, { kind: "cancel", subscription_id, ...cancellation, mode }, request);
  return performAndSync(context, member, operation);
}

/**
 * Withdraws a cancellation that is scheduled for the end of the period.
 *
 * @throws Problem `not_scheduled_to_cancel`, `subscription_already_canceled`, `period_ended`, `member_blocked`
 */
export async function uncancel(
  context: BillingContext,
  member: StoredMember,
  request: OperationRequest,
): Promise<StoredMember> {
  const storedOperation = await operations.find(context.table, member.id, request.operationId);
  if (storedOperation) assertSameRequest(storedOperation, request);
  if (storedOperation?.state === "done") return latest(context, member);
  if (member.is_blocked) throw new Problem("member_blocked");
  const subscription_id = subscriptionIdOf(member);
  if (!storedOperation && !isEnding(member)) throw new Problem("not_scheduled_to_cancel");
  if (subscription_id === null) return uncancelLocally(context, member, request);
  const operation = storedOperation
    ? await resume(context, storedOperation)
    : await begin(context, member, { kind: "uncancel", subscription_id }, request);
  return performAndSync(context, member, operation);
}

/**
 * Cancels one live subscription of a member immediately. Succeeds if the subscription has already ended.
 *
 * @throws the problems of Stripe
 */
export async function endSubscription(
  context: BillingContext,
  member: StoredMember,
  subscription_id: string,
  request: OperationRequest,
): Promise<void> {
  const storedOperation = await operations.find(context.table, member.id, request.operationId);
  if (storedOperation?.state === "done") return;
  const cancellation = { mode: "immediately", feedback: null, comment: null } as const;
  const operation = storedOperation
    ? await resume(context, storedOperation)
    : await begin(context, member, { kind: "cancel", subscription_id, ...cancellation }, request);
  await performAndSync(context, member, operation).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === "subscription_already_canceled")) throw error;
  });
}

/** Reads the member again, because another attempt may have completed the operation after `member` was read. */
const latest = async ({ table }: BillingContext, member: StoredMember): Promise<StoredMember> =>
  (await members.find(table, member.community_id, member.id)) ?? member;

/**
 * Whether the subscription of an immediate cancellation has ended since the operation began, perhaps by an earlier attempt.
 * Stripe ignores the idempotency key of a DELETE and refuses to cancel twice.
 */
async function hasEndedSince(billing: Billing, { intent, created_at }: Operation): Promise<boolean> {
  if (intent.kind !== "cancel" || intent.mode !== "immediately" || intent.subscription_id === null) return false;
  const { subscription_id } = intent;
  const { ended_at = null } =
    (await undefinedIfMissing(
      billing((stripe, options) => stripe.subscriptions.retrieve(subscription_id, {}, options)),
    )) ?? {};
  // `ended_at` is a whole second of Stripe's clock, which may be behind.
  return ended_at !== null && (ended_at + 1) * 1000 >= Date.parse(created_at) - clockMargin;
}

/** The id of the member's subscription in Stripe, or `null`. @throws Problem `subscription_already_canceled` */
function subscriptionIdOf({ stripe_subscription_id, status }: StoredMember): string | null {
  if (status === "canceled") throw new Problem("subscription_already_canceled");
  return stripe_subscription_id;
}

/** Cancels a membership that has no subscription in Stripe. */
function cancelLocally(
  context: BillingContext,
  member: StoredMember,
  cancellation: Cancellation,
  request: OperationRequest,
) {
  const { now } = context;
  if (cancellation.mode === "at_period_end") assertInFuture(member.current_period_end, now);
  const change = cancellation.mode === "immediately" ? endOf(member, now.toISOString()) : scheduledEndOf(member, now);
  return changeLocally(context, member, change, { kind: "cancel", subscription_id: null, ...cancellation }, request);
}

/** Withdraws the scheduled end of a membership that has no subscription in Stripe. */
function uncancelLocally(context: BillingContext, member: StoredMember, request: OperationRequest) {
  assertInFuture(scheduledEnd(member), context.now);
  return changeLocally(context, member, withdrawalOf(member), { kind: "uncancel", subscription_id: null }, request);
}

/** @throws Problem `period_ended` */
function assertInFuture(end: string | undefined, now: Date): void {
  if (end !== undefined && end <= now.toISOString()) throw new Problem("period_ended");
}

/** Stores the operation and its effect in one transaction, so that a retry of the request finds both or neither. */
function changeLocally(
  { table, now }: BillingContext,
  member: StoredMember,
  change: TermChange,
  intent: Intent,
  request: OperationRequest,
): Promise<StoredMember> {
  const operation = operationOf(member, intent, request, now);
  return changeTerm(table, member, change, actorOf(operation), [
    notErased(member.user.id),
    operations.putDone(operation, now),
  ]);
}

async function performAndSync(
  context: BillingContext,
  member: StoredMember,
  operation: Operation,
): Promise<StoredMember> {
  const hasEnded = await sendCancellation(context, operation).then(
    () => false,
    (error: unknown) => {
      if (!isEnded(error)) throw error;
      return true;
    },
  );
  // If the response to a cancellation is lost, Stripe's client sends it again, and Stripe refuses the second one.
  const isRefused = hasEnded && !(await hasEndedSince(context.billing, operation));
  const after = await syncMember(context, linkOf(member));
  if (isRefused || !after) throw new Problem("subscription_already_canceled", { afterEffect: true });
  return after;
}
