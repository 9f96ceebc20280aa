import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import * as operations from "../store/operations.ts";
import { clockMargin } from "../values/clock-margin.ts";
import { dropPending } from "./change-at-stripe.ts";
import { resumeCollection } from "./collection.ts";
import type { BillingContext } from "./context.ts";
import { releasingSchedule } from "./schedules.ts";
import { type Billing, problemOf, refusalOf, undefinedIfMissing } from "./stripe.ts";

/** A cancellation or uncancellation of a subscription in Stripe. */
type SubscriptionIntent<Kind extends "cancel" | "uncancel"> = Extract<Intent, { kind: Kind }> & {
  readonly subscription_id: string;
};

/**
 * Sends a cancellation or uncancellation to Stripe. Idempotent.
 *
 * @throws the problems of Stripe
 */
export async function sendCancellation(context: BillingContext, operation: Operation): Promise<void> {
  const { table, billing, now } = context;
  const { intent } = operation;
  if (intent.kind !== "cancel" && intent.kind !== "uncancel") return;
  const { subscription_id } = intent;
  if (subscription_id === null) return;
  const send = (key: string) =>
    intent.kind === "cancel"
      ? cancelAtStripe(billing, key, { ...intent, subscription_id })
      : uncancelAtStripe(billing, key, { ...intent, subscription_id });
  const key = stripeKeyOf(operation);
  try {
    // Stripe repeats its first response to an idempotency key, in this case the refusal. The request after the release
    // therefore needs a new key.
    await releasingSchedule(
      billing,
      subscription_id,
      (isReleased) => send(isReleased ? `${key}-released` : key),
      (droppedPrices) => operations.noteDropped(table, operation, droppedPrices),
    );
  } catch (error) {
    if (isEnded(error)) await resumeCollection(context, operation);
    else if (refusalOf(error)) await operations.refuse(table, operation, now);
    throw error;
  }
  await resumeCollection(context, operation);
}

/**
 * Also drops a change that waits for its payment: it could be paid after the cancellation. Before an immediate one, because
 * Stripe does not document whether the subscription still names its invoice afterwards.
 */
async function cancelAtStripe(billing: Billing, key: string, intent: SubscriptionIntent<"cancel">): Promise<void> {
  const { subscription_id: id, mode, comment, feedback } = intent;
  const cancellation_details = { ...(comment !== null && { comment }), ...(feedback !== null && { feedback }) };
  if (mode === "immediately") {
    await dropPending(billing, await billing((stripe, options) => stripe.subscriptions.retrieve(id, {}, options)));
    const params = { invoice_now: false, prorate: false, cancellation_details };
    await billing((stripe, options) => stripe.subscriptions.cancel(id, params, options));
    return;
  }
  const params = { cancel_at_period_end: true, cancellation_details };
  const ending = await billing((stripe, options) => stripe.subscriptions.update(id, params, options), key);
  await dropPending(billing, ending);
}

async function uncancelAtStripe(
  billing: Billing,
  key: string,
  { subscription_id }: SubscriptionIntent<"uncancel">,
): Promise<void> {
  const { cancel_at_period_end, cancel_at, status } = await billing((stripe, options) =>
    stripe.subscriptions.retrieve(subscription_id, {}, options),
  );
  if (!cancel_at_period_end && cancel_at === null && status !== "canceled") return;
  // The customer portal sets only `cancel_at`. Stripe accepts one of the two parameters, not both.
  const params = cancel_at_period_end ? { cancel_at_period_end: false } : ({ cancel_at: "" } as const);
  await billing((stripe, options) => stripe.subscriptions.update(subscription_id, params, options), key);
}

/** Whether Stripe refused because the subscription has ended. Stripe responds 404 to a cancellation and 400 to an update. */
export const isEnded = (error: unknown): boolean =>
  problemOf("cancellation", error)?.code === "subscription_already_canceled";

/**
 * Whether the subscription of an immediate cancellation has ended since the operation began, perhaps by an earlier attempt.
 * Stripe ignores the idempotency key of a DELETE and refuses to cancel twice.
 */
export async function hasEndedSince(billing: Billing, { intent, created_at }: Operation): Promise<boolean> {
  if (intent.kind !== "cancel" || intent.mode !== "immediately" || intent.subscription_id === null) return false;
  const { subscription_id } = intent;
  const { ended_at = null } =
    (await undefinedIfMissing(
      billing((stripe, options) => stripe.subscriptions.retrieve(subscription_id, {}, options)),
    )) ?? {};
  // `ended_at` is a whole second of Stripe's clock, which may be behind.
  return ended_at !== null && (ended_at + 1) * 1000 >= Date.parse(created_at) - clockMargin;
}
