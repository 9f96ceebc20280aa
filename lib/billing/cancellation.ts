import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import { scheduledEnd } from "../store/due.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import { changeTerm, endOf, scheduledEndOf, type TermChange, withdrawalOf } from "../store/members/term.ts";
import * as operations from "../store/operations.ts";
import { notErased } from "../store/users.ts";
import { clockMargin } from "./clock-margin.ts";
import type { BillingContext } from "./context.ts";
import { actorOf } from "./derive.ts";
import { assertSame, begin, linkOf, type OperationRequest, operationOf, resume } from "./operations.ts";
import { beyondSchedule } from "./schedules.ts";
import { type Billing, problemOf, refusalOf } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type IntentOf<Kind extends Intent["kind"]> = Extract<Intent, { kind: Kind }>;
type Cancel = Omit<IntentOf<"cancel">, "kind" | "subscription_id">;

/** A cancellation or its withdrawal, of a subscription in Stripe. */
type AtStripe<Kind extends "cancel" | "uncancel"> = IntentOf<Kind> & { readonly subscription_id: string };

/**
 * Cancels a member's subscription at the end of the paid period, or at once. Nothing is refunded. Scheduling it twice
 * changes nothing; what is scheduled may still be ended at once. A membership without a subscription in Stripe is ended
 * here: at once, or by the schedule.
 *
 * @throws Problem `subscription_already_canceled`, `period_ended`, `idempotency_key_reused`, and what Stripe fails with
 */
export async function cancel(
  context: BillingContext,
  member: StoredMember,
  how: Cancel,
  request: OperationRequest,
): Promise<StoredMember> {
  const known = await operations.find(context.table, member.id, request.operationId);
  if (known) assertSame(known, request);
  if (known?.state === "done") return latest(context, member);
  if (known?.state === "open" && (await hasEndedSince(context.billing, known)))
    return (await syncMember(context, linkOf(member))) ?? member;
  const subscription_id = subscriptionOf(member);
  // Nothing was paid for a subscription that is incomplete, so there is no period to see out.
  const mode = member.status === "incomplete" ? "immediately" : how.mode;
  if (!known && mode === "at_period_end" && isEnding(member)) return member;
  if (subscription_id === null) return cancelHere(context, member, { ...how, mode }, request);
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, { kind: "cancel", subscription_id, ...how, mode }, request);
  return perform(context, member, operation);
}

/**
 * Takes back a cancellation at the end of the period.
 *
 * @throws Problem `not_scheduled_to_cancel`, `subscription_already_canceled`, `period_ended`, `member_blocked`
 */
export async function uncancel(
  context: BillingContext,
  member: StoredMember,
  request: OperationRequest,
): Promise<StoredMember> {
  const known = await operations.find(context.table, member.id, request.operationId);
  if (known) assertSame(known, request);
  if (known?.state === "done") return latest(context, member);
  if (member.is_blocked) throw new Problem("member_blocked");
  const subscription_id = subscriptionOf(member);
  if (!known && !isEnding(member)) throw new Problem("not_scheduled_to_cancel");
  if (subscription_id === null) return keepHere(context, member, request);
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, { kind: "uncancel", subscription_id }, request);
  return perform(context, member, operation);
}

/**
 * Cancels one live subscription of a member immediately. That it has ended meanwhile is a success.
 *
 * @throws what Stripe refuses or fails with
 */
export async function endSubscription(
  context: BillingContext,
  member: StoredMember,
  subscription_id: string,
  request: OperationRequest,
): Promise<void> {
  const known = await operations.find(context.table, member.id, request.operationId);
  if (known?.state === "done") return;
  const how = { mode: "immediately", feedback: null, comment: null } as const;
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, { kind: "cancel", subscription_id, ...how }, request);
  await perform(context, member, operation).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === "subscription_already_canceled")) throw error;
  });
}

/** The member after an operation that another attempt has finished, perhaps since the member was read. */
const latest = async ({ table }: BillingContext, member: StoredMember): Promise<StoredMember> =>
  (await members.find(table, member.community_id, member.id)) ?? member;

/**
 * Whether the subscription of an immediate cancellation has ended since that began, as an earlier attempt at it may have done.
 * Stripe ignores the idempotency key of a DELETE and refuses to cancel twice.
 */
async function hasEndedSince(billing: Billing, { intent, created_at }: Operation): Promise<boolean> {
  if (intent.kind !== "cancel" || intent.mode !== "immediately" || intent.subscription_id === null) return false;
  const { subscription_id } = intent;
  const ended_at = await billing((stripe, options) => stripe.subscriptions.retrieve(subscription_id, {}, options)).then(
    (subscription) => subscription.ended_at,
    (error: unknown) => {
      if (refusalOf(error)?.code !== "resource_missing") throw error;
      return null;
    },
  );
  // `ended_at` is a whole second of Stripe's clock, which may be behind.
  return ended_at !== null && (ended_at + 1) * 1000 >= Date.parse(created_at) - clockMargin;
}

/** The member's subscription in Stripe. Null if they have none. */
function subscriptionOf({ stripe_subscription_id, status }: StoredMember): string | null {
  if (status === "canceled") throw new Problem("subscription_already_canceled");
  return stripe_subscription_id;
}

/** Whether an end is scheduled. An import may give a time alone. */
const isEnding = ({ cancel_at_period_end, cancel_at }: StoredMember): boolean =>
  cancel_at_period_end || cancel_at !== null;

/** Cancels a membership that has no subscription in Stripe. */
function cancelHere(context: BillingContext, member: StoredMember, how: Cancel, request: OperationRequest) {
  const { now } = context;
  if (how.mode === "at_period_end") assertInFuture(member.current_period_end, now);
  const change = how.mode === "immediately" ? endOf(member, now.toISOString()) : scheduledEndOf(member, now);
  return changeHere(context, member, change, { kind: "cancel", subscription_id: null, ...how }, request);
}

/** Withdraws the scheduled end of a membership that has no subscription in Stripe. */
function keepHere(context: BillingContext, member: StoredMember, request: OperationRequest) {
  assertInFuture(scheduledEnd(member), context.now);
  return changeHere(context, member, withdrawalOf(member), { kind: "uncancel", subscription_id: null }, request);
}

/** @throws Problem `period_ended` */
function assertInFuture(end: string | undefined, now: Date): void {
  if (end !== undefined && end <= now.toISOString()) throw new Problem("period_ended");
}

/** Stores the operation together with its effect: a repetition of the request finds both or neither. */
function changeHere(
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

async function perform(context: BillingContext, member: StoredMember, operation: Operation): Promise<StoredMember> {
  const hasEnded = await repeatCancellation(context, operation).then(
    () => false,
    (error: unknown) => {
      if (!isEnded(error)) throw error;
      return true;
    },
  );
  // Stripe's client repeats a cancellation whose answer was lost, and Stripe then says that there is no subscription.
  const isRefused = hasEnded && !(await hasEndedSince(context.billing, operation));
  const after = await syncMember(context, linkOf(member));
  if (isRefused || !after) throw new Problem("subscription_already_canceled", { afterEffect: true });
  return after;
}

/**
 * Asks Stripe for what a cancellation wants; asking again changes nothing.
 *
 * @throws what Stripe refuses or fails with
 */
export async function repeatCancellation({ table, billing, now }: BillingContext, operation: Operation): Promise<void> {
  const { intent } = operation;
  if (intent.kind !== "cancel" && intent.kind !== "uncancel") return;
  const { subscription_id } = intent;
  if (subscription_id === null) return;
  const ask = (key: string) =>
    intent.kind === "cancel"
      ? askToCancel(billing, key, { ...intent, subscription_id })
      : askToKeep(billing, key, { ...intent, subscription_id });
  const key = stripeKeyOf(operation);
  try {
    // Stripe answers a repeated key with what it answered first, here its refusal.
    await beyondSchedule(
      billing,
      subscription_id,
      (isReleased) => ask(isReleased ? `${key}-released` : key),
      (dropped) => operations.noteDropped(table, operation, dropped),
    );
  } catch (error) {
    if (refusalOf(error) && !isEnded(error)) await operations.refuse(table, operation, now);
    throw error;
  }
}

async function askToCancel(billing: Billing, key: string, intent: AtStripe<"cancel">): Promise<void> {
  const { subscription_id, mode, comment, feedback } = intent;
  const cancellation_details = { ...(comment !== null && { comment }), ...(feedback !== null && { feedback }) };
  if (mode === "immediately")
    await billing((stripe, options) =>
      stripe.subscriptions.cancel(
        subscription_id,
        { invoice_now: false, prorate: false, cancellation_details },
        options,
      ),
    );
  else
    await billing(
      (stripe, options) =>
        stripe.subscriptions.update(subscription_id, { cancel_at_period_end: true, cancellation_details }, options),
      key,
    );
}

async function askToKeep(billing: Billing, key: string, { subscription_id }: AtStripe<"uncancel">): Promise<void> {
  const { cancel_at_period_end, cancel_at, status } = await billing((stripe, options) =>
    stripe.subscriptions.retrieve(subscription_id, {}, options),
  );
  if (!cancel_at_period_end && cancel_at === null && status !== "canceled") return;
  // The customer portal schedules by a date alone; Stripe takes one of the two, not both.
  const back = cancel_at_period_end ? { cancel_at_period_end: false } : ({ cancel_at: "" } as const);
  await billing((stripe, options) => stripe.subscriptions.update(subscription_id, back, options), key);
}

/** Whether Stripe refused because the subscription has ended: canceling it is then a 404, editing it a 400. */
export const isEnded = (error: unknown): boolean =>
  problemOf("cancellation", error)?.code === "subscription_already_canceled";
