import type Stripe from "stripe";
import type { Intent, Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import { scheduledEnd } from "../store/due.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import {
  changeTerm,
  endOf,
  endsWithPeriod,
  isEnding,
  scheduledEndOf,
  type TermChange,
  withdrawalOf,
} from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { assertAuthorized, whileAuthorized } from "../store/ownership.ts";
import { notErased } from "../store/users.ts";
import { statuses } from "../values/member-status.ts";
import { hasEndedSince, isEnded, sendCancellation } from "./cancel-at-stripe.ts";
import { refuseIfUndone } from "./change-at-stripe.ts";
import * as atStripe from "./change-state.ts";
import { type Cancellation, intentOf, resumeCollection } from "./collection.ts";
import type { BillingContext } from "./context.ts";
import { actorOf } from "./derive.ts";
import { assertSameRequest, begin, linkOf, type OperationRequest, operationOf, resume } from "./operations.ts";
import { expireReplacements } from "./replacement.ts";
import { type Billing, inProgress, refusalOf, undefinedIfMissing } from "./stripe.ts";
import { syncAfterChange } from "./sync.ts";

/**
 * Cancels a membership at the end of the paid period or immediately, without a refund. Scheduling a cancellation twice has
 * no further effect. A scheduled cancellation can still be made immediate. A membership without a subscription in Stripe is
 * ended in the table: immediately, or by the schedule. A cancellation or withdrawal that was interrupted is completed first.
 *
 * @throws Problem `subscription_already_canceled`, `period_ended`, `idempotency_key_reused`, and the problems of Stripe
 */
export async function cancel(
  context: BillingContext,
  given: StoredMember,
  cancellation: Cancellation,
  request: OperationRequest,
): Promise<StoredMember> {
  let member = given;
  const storedOperation = await operations.find(context.table, member.id, request.operationId);
  if (storedOperation) assertSameRequest(storedOperation, request);
  if (storedOperation?.state === "done") return latest(context, member);
  if (storedOperation?.state === "open" && (await hasEndedSince(context.billing, storedOperation))) {
    await resumeCollection(context, storedOperation);
    return (await syncAfterChange(context, linkOf(member))) ?? member;
  }
  const subscription_id = subscriptionIdOf(member);
  // An incomplete subscription has no paid period.
  const mode = member.status === "incomplete" ? "immediately" : cancellation.mode;
  if (!storedOperation && mode === "at_period_end") {
    member = await afterInterrupted(context, member, request);
    if (endsWithPeriod(member) && (await isAtStripe(context.billing, member, atStripe.endsWithPeriod))) return member;
  }
  if (subscription_id === null) return cancelLocally(context, member, { ...cancellation, mode }, request);
  await expireReplacements(context, member);
  const operation = storedOperation
    ? await resume(context, storedOperation)
    : await begin(
        context,
        member,
        await intentOf(context, member, subscription_id, { ...cancellation, mode }),
        request,
      );
  return performAndSync(context, member, operation);
}

/**
 * Withdraws a cancellation that is scheduled for the end of the period. One that was interrupted is completed first.
 *
 * @throws Problem `not_scheduled_to_cancel`, `subscription_already_canceled`, `period_ended`, `member_blocked`
 */
export async function uncancel(
  context: BillingContext,
  given: StoredMember,
  request: OperationRequest,
): Promise<StoredMember> {
  let member = given;
  const storedOperation = await operations.find(context.table, member.id, request.operationId);
  if (storedOperation) assertSameRequest(storedOperation, request);
  if (storedOperation?.state === "done") return latest(context, member);
  if (member.is_blocked) throw new Problem("member_blocked");
  const subscription_id = subscriptionIdOf(member);
  if (!storedOperation) {
    member = await afterInterrupted(context, member, request);
    if (!isEnding(member) && member !== given) return member;
    if (!isEnding(member) && !(await isAtStripe(context.billing, member, atStripe.isEnding)))
      throw new Problem("not_scheduled_to_cancel");
  }
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
    : await begin(context, member, await intentOf(context, member, subscription_id, cancellation), request);
  await sendCancellation(context, operation).catch((error: unknown) => {
    if (!isEnded(error)) throw error;
  });
  await syncAfterChange(context, linkOf(member));
}

/**
 * Completes a cancellation at the end of the period, or the withdrawal of one, that was interrupted. The schedule would send it
 * after the one that is asked for now.
 *
 * @returns the member as they are then, or as they were read if the request is conditional on that
 * @throws Problem `request_in_progress` if it is being sent
 */
async function afterInterrupted(
  context: BillingContext,
  member: StoredMember,
  { isConditional }: OperationRequest,
): Promise<StoredMember> {
  const { stripe_subscription_id: subscription_id } = member;
  if (subscription_id === null) return member;
  const operation = await operations.holderOf(context.table, member.id, { kind: "uncancel", subscription_id });
  if (operation?.state !== "open") return member;
  await assertAuthorized(context.table);
  await sendCancellation(context, operation).catch((error: unknown) => {
    if (!refusalOf(error)) throw error;
  });
  const after = await syncAfterChange(context, linkOf(member));
  await refuseIfUndone(context, operation);
  return isConditional ? member : (after ?? member);
}

/** Whether Stripe ends a membership, which somebody may have changed there a moment ago. Without Stripe, the record says it. */
async function isAtStripe(
  billing: Billing,
  member: StoredMember,
  ends: (subscription: Stripe.Subscription) => boolean,
): Promise<boolean> {
  const { stripe_subscription_id: id } = member;
  const subscription = id === null ? undefined : await undefinedIfMissing(atStripe.readSubscription(billing, id));
  return subscription ? ends(subscription) : isEnding(member);
}

/** Reads the member again, because another attempt may have completed the operation after `member` was read. */
const latest = async ({ table }: BillingContext, member: StoredMember): Promise<StoredMember> =>
  (await members.find(table, member.community_id, member.id)) ?? member;

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
  const intent: Intent = { kind: "cancel", subscription_id: null, ...cancellation, collected_invoice_ids: [] };
  return changeLocally(context, member, change, intent, request);
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
  return changeTerm(whileAuthorized(table), member, change, actorOf(operation), [
    notErased(member.user.id),
    operations.putDone(operation, now),
  ]);
}

/**
 * Sends an operation to Stripe and synchronizes the member.
 *
 * @throws Problem `subscription_already_canceled`; `request_in_progress` if another subscription has replaced the one of the
 *   operation, so that the request has to be decided again
 */
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
  const after = await syncAfterChange(context, linkOf(member));
  if (hasEnded && after && isReplaced(after, operation)) throw inProgress();
  if (isRefused || !after) throw new Problem("subscription_already_canceled", { afterEffect: true });
  return after;
}

/** Whether a member has another live subscription than that of an operation, such as a paid one instead of a free one. */
const isReplaced = ({ stripe_subscription_id, status }: StoredMember, { intent }: Operation): boolean =>
  "subscription_id" in intent && intent.subscription_id !== stripe_subscription_id && statuses[status].isLive;
