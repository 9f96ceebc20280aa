import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import * as operations from "../store/operations.ts";
import type { BillingContext } from "./context.ts";
import { assertSame, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { beyondSchedule } from "./schedules.ts";
import { type Billing, problemOf, refusalOf } from "./stripe.ts";
import { syncMember } from "./sync.ts";

type Cancel = Omit<Extract<Intent, { kind: "cancel" }>, "kind" | "subscription_id">;

/**
 * Cancels a member's subscription at the end of the paid period, or at once. Nothing is refunded. Scheduling it twice
 * changes nothing; what is scheduled may still be ended at once.
 *
 * @throws Problem `no_subscription`, `subscription_already_canceled`, `idempotency_key_reused`, and what Stripe fails with
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
  if (!known && mode === "at_period_end" && member.cancel_at_period_end) return member;
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, { kind: "cancel", subscription_id, ...how, mode }, request);
  return perform(context, member, operation);
}

/**
 * Takes back a cancellation at the end of the period.
 *
 * @throws Problem `not_scheduled_to_cancel`, `subscription_already_canceled`, `no_subscription`, `member_blocked`
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
  if (!known && !member.cancel_at_period_end) throw new Problem("not_scheduled_to_cancel");
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, { kind: "uncancel", subscription_id }, request);
  return perform(context, member, operation);
}

/** The member after an operation that another attempt has finished, perhaps since the member was read. */
const latest = async ({ table }: BillingContext, member: StoredMember): Promise<StoredMember> =>
  (await members.find(table, member.community_id, member.id)) ?? member;

/**
 * Whether the subscription of a cancellation has ended since that began, as an earlier attempt at it may have done.
 * Stripe ignores the idempotency key of a DELETE and refuses to cancel twice.
 */
async function hasEndedSince(billing: Billing, { intent, created_at }: Operation): Promise<boolean> {
  if (intent.kind !== "cancel") return false;
  const { ended_at } = await billing((stripe, options) =>
    stripe.subscriptions.retrieve(intent.subscription_id, {}, options),
  );
  return ended_at !== null && ended_at >= Math.floor(Date.parse(created_at) / 1000);
}

function subscriptionOf({ stripe_subscription_id, status }: StoredMember): string {
  if (!stripe_subscription_id) throw new Problem("no_subscription");
  if (status === "canceled") throw new Problem("subscription_already_canceled");
  return stripe_subscription_id;
}

async function perform(context: BillingContext, member: StoredMember, operation: Operation): Promise<StoredMember> {
  const hasEnded = await repeatCancellation(context, operation).then(
    () => false,
    (error: unknown) => {
      if (!isEnded(error)) throw error;
      return true;
    },
  );
  const after = await syncMember(context, linkOf(member));
  if (hasEnded || !after) throw new Problem("subscription_already_canceled", { afterEffect: true });
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
  const ask = (key: string) =>
    intent.kind === "cancel" ? askToCancel(billing, key, intent) : askToKeep(billing, key, intent);
  const key = stripeKeyOf(operation);
  try {
    // Stripe answers a repeated key with what it answered first, here its refusal.
    await beyondSchedule(billing, intent.subscription_id, (isReleased) => ask(isReleased ? `${key}-released` : key));
  } catch (error) {
    if (refusalOf(error) && !isEnded(error)) await operations.refuse(table, operation, now);
    throw error;
  }
}

async function askToCancel(billing: Billing, key: string, intent: Extract<Intent, { kind: "cancel" }>): Promise<void> {
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

async function askToKeep(
  billing: Billing,
  key: string,
  { subscription_id }: Extract<Intent, { kind: "uncancel" }>,
): Promise<void> {
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
