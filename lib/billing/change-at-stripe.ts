import type Stripe from "stripe";
import { type Operation, stripeKeyOf } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as members from "../store/members/members.ts";
import * as operations from "../store/operations.ts";
import { cardFor } from "./cards.ts";
import { previewCharge } from "./change-plan.ts";
import {
  type ChangeIntent,
  hasForeignSchedule,
  isChanged,
  isEnding,
  isMade,
  itemOf,
  readSubscription,
} from "./change-state.ts";
import type { BillingContext } from "./context.ts";
import { itemTaxOf, phaseTaxOf } from "./phase-tax.ts";
import { dropSchedule } from "./schedules.ts";
import { idOf } from "./snapshot.ts";
import { type Billing, inProgress, problemOf, refusalOf, undefinedIfMissing } from "./stripe.ts";
import { isSold } from "./tier-price.ts";

/** @throws Problem if a change that waited, or was refused, would not be what it was planned to be */
function assertAsPlanned(subscription: Stripe.Subscription, { when, interval, cents, charge }: ChangeIntent): void {
  if (isEnding(subscription)) throw new Problem("cancel_scheduled");
  if (hasForeignSchedule(subscription)) throw new Problem("subscription_not_managed");
  const { price, current_period_start } = itemOf(subscription);
  const isFree =
    subscription.status === "trialing" || (price.recurring?.interval === interval && price.unit_amount === cents);
  const isAsPlanned = charge
    ? subscription.status === "active" && price.id === charge.from_price_id && current_period_start <= charge.at
    : isFree === (when === "now");
  if (!isAsPlanned)
    throw new Problem("preview_expired", { detail: "The change would no longer be made when it was planned to be" });
}

/** How long after its request a change may still be charged, in milliseconds. */
const chargedWithinMs = 60 * 60_000;

/**
 * @throws Problem if a change would be charged long after somebody has asked for it, or to a person who was blocked since, or
 *   if another attempt at it would charge another amount
 */
async function assertMayCharge(
  { table, billing, now }: BillingContext,
  subscription: Stripe.Subscription,
  { intent, created_at, community_id, member_id }: Operation,
): Promise<void> {
  if (intent.kind !== "change" || intent.charge === null) return;
  if (now.getTime() - Date.parse(created_at) > chargedWithinMs) throw new Problem("preview_expired");
  const member = await members.find(table, community_id, member_id);
  if (member?.is_blocked) throw new Problem("member_blocked");
  // A paid checkout has replaced the free subscription.
  if (member && member.stripe_subscription_id !== intent.subscription_id) throw new Problem("preview_expired");
  if (created_at === now.toISOString()) return;
  const { amount_due } = await previewCharge(billing, subscription, { ...intent.charge, price_id: intent.price_id });
  if (amount_due !== intent.charge.cents) throw new Problem("preview_expired");
}

/** What a schedule plans, in its metadata. The price may no longer be a current one when the schedule is read. */
const planOf = ({ price_id, tier_id, interval, cents }: ChangeIntent) => ({
  price_id,
  tier_id: String(tier_id),
  interval,
  cents: String(cents),
});

/**
 * Sends a change of a subscription to Stripe, or the withdrawal of a scheduled one. Idempotent: returns without any effect if
 * Stripe shows it already.
 *
 * @throws Problem `cancel_scheduled` if the subscription ends, and the problems of Stripe
 */
export async function sendChange(context: BillingContext, operation: Operation): Promise<void> {
  const { id, intent } = operation;
  if (intent.kind !== "change" && intent.kind !== "unschedule") return;
  const { table, billing, now } = context;
  try {
    const subscription = await readSubscription(billing, intent.subscription_id);
    if (intent.kind === "unschedule") return await dropSchedule(billing, subscription);
    if (!isEnding(subscription) && isChanged(subscription, { id, intent })) return;
    assertAsPlanned(subscription, intent);
    await assertMayCharge(context, subscription, operation);
    if (!(await dropPending(billing, subscription))) throw inProgress();
    const change: SentChange = { intent, key: stripeKeyOf(operation), operationId: id };
    await (intent.when === "now" ? changeNow : changeLater)(billing, subscription, change);
  } catch (error) {
    if (refusalOf(error) || (error instanceof Problem && error.status < 500 && error.code !== "request_in_progress"))
      await operations.refuse(table, operation, now);
    throw error;
  }
}

/**
 * Drops a change that waits for its payment, by voiding its invoice.
 *
 * @returns false if Stripe refuses, because the invoice was paid in the meantime or its payment is processing
 */
export async function dropPending(
  billing: Billing,
  { pending_update: update, latest_invoice: invoice }: Stripe.Subscription,
): Promise<boolean> {
  const id = idOf(invoice);
  if (!update || id === undefined) return true;
  try {
    await billing((stripe, options) => stripe.invoices.voidInvoice(id, {}, options));
    return true;
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return false;
  }
}

/** Drops the change of a member that waits for its payment, if any. */
export async function dropWaiting(billing: Billing, { stripe_subscription_id: id }: StoredMember): Promise<void> {
  if (id === null) return;
  const subscription = await undefinedIfMissing(readSubscription(billing, id));
  if (subscription) await dropPending(billing, subscription);
}

/**
 * Refuses a change, or a cancellation or its withdrawal, that is still open after it was sent and the member was synchronized. It
 * was undone in Stripe since, for example in the dashboard. To send it again would have no effect as long as Stripe repeats its
 * responses, and then do again what was undone.
 *
 * @returns whether the operation was refused
 */
export async function refuseIfUndone(
  { table, billing, now }: BillingContext,
  { id, member_id }: Operation,
): Promise<boolean> {
  const operation = await operations.find(table, member_id, id);
  if (operation?.state !== "open" || !("subscription_id" in operation.intent)) return false;
  const { subscription_id } = operation.intent;
  if (subscription_id === null) return false;
  // The lists of a synchronization may be late.
  const subscription = await undefinedIfMissing(readSubscription(billing, subscription_id));
  if (isMade(subscription, operation) !== false) return false;
  await operations.refuse(table, operation, now);
  return true;
}

type SentChange = { readonly intent: ChangeIntent; readonly key: string; readonly operationId: string };

/**
 * Changes the price now. Without a charge, the period and a trial keep their end. A charge that fails, or that the bank wants
 * confirmed, leaves the price as it is until the invoice is paid
 * (https://docs.stripe.com/billing/subscriptions/pending-updates).
 */
async function changeNow(
  billing: Billing,
  subscription: Stripe.Subscription,
  { intent: { price_id, charge }, key, operationId }: SentChange,
): Promise<void> {
  const { id, payment_settings } = subscription;
  await dropSchedule(billing, subscription);
  // A pending update takes no settings. With this one, the card that pays the invoice is charged for the renewals too.
  const save_default_payment_method = "on_subscription";
  if (charge && payment_settings?.save_default_payment_method !== save_default_payment_method)
    await billing((stripe, options) =>
      stripe.subscriptions.update(id, { payment_settings: { save_default_payment_method } }, options),
    );
  const items = [{ id: itemOf(subscription).id, price: price_id, quantity: 1 }];
  const params: Stripe.SubscriptionUpdateParams = charge
    ? {
        items,
        payment_behavior: "pending_if_incomplete",
        proration_behavior: "always_invoice",
        proration_date: charge.at,
        metadata: { change_id: operationId },
        ...(charge.is_reset && { billing_cycle_anchor: { type: "now" } }),
      }
    : { items, proration_behavior: "none" };
  await billing((stripe, options) => stripe.subscriptions.update(id, params, options), key);
}

/**
 * Plans the new price for the next period. Stripe takes no phases with `from_subscription`, so this takes two calls. A crash
 * between them leaves a schedule without a plan, which the next attempt uses. It is released if Stripe refuses the plan.
 *
 * @throws Problem `subscription_not_managed` if Stripe refuses the present price in a schedule, because it or its product was
 *   archived
 */
async function changeLater(
  billing: Billing,
  subscription: Stripe.Subscription,
  { intent, key, operationId }: SentChange,
): Promise<void> {
  const { price_id, interval } = intent;
  const schedule =
    typeof subscription.schedule === "object" && subscription.schedule !== null
      ? subscription.schedule
      : await billing(
          (stripe, options) => stripe.subscriptionSchedules.create({ from_subscription: subscription.id }, options),
          `${key}-schedule`,
        );
  const [item] = subscription.items.data;
  const { current_phase } = schedule;
  // A cancellation that came first is part of the schedule, and would be lost with it.
  if (!item || !current_phase || schedule.end_behavior !== "release") {
    await dropSchedule(billing, { ...subscription, schedule }, { preserve_cancel_date: true });
    throw new Problem("cancel_scheduled");
  }
  // A phase without discounts takes those of the customer.
  const discounts = subscription.discounts.map((discount) => ({ discount: idOf(discount) ?? "" }));
  const phase = { discounts, ...phaseTaxOf(subscription), proration_behavior: "none" } as const;
  const isWithoutPlan = schedule.metadata?.made_by !== "odis";
  const card = cardFor(subscription, schedule);
  await billing(
    (stripe, options) =>
      stripe.subscriptionSchedules.update(
        schedule.id,
        {
          end_behavior: "release",
          ...(card !== undefined && { default_settings: { default_payment_method: card } }),
          metadata: { made_by: "odis", operation_id: operationId, ...planOf(intent) },
          phases: [
            {
              ...phase,
              items: [{ price: item.price.id, quantity: 1, ...itemTaxOf(item) }],
              start_date: current_phase.start_date,
              end_date: item.current_period_end,
            },
            {
              ...phase,
              items: [{ price: price_id, quantity: 1, ...itemTaxOf(item) }],
              duration: { interval, interval_count: 1 },
              ...(interval !== item.price.recurring?.interval && { billing_cycle_anchor: "phase_start" as const }),
            },
          ],
        },
        options,
      ),
    key,
  ).catch(async (error: unknown) => {
    if (!(error instanceof Problem && refusalOf(error))) throw error;
    const undone = isWithoutPlan && ({ afterEffect: true } as const);
    if (isWithoutPlan) await dropSchedule(billing, { ...subscription, schedule });
    const isPresentPrice = problemOf("change", error)?.code === "unknown_tier" && (await isSold(billing, price_id));
    if (!isPresentPrice) throw new Problem(error.code, { more: error.more, ...undone, cause: error.cause });
    const detail = "The present price or its product was archived in Stripe, and has to be active for this change";
    throw new Problem("subscription_not_managed", { detail, ...undone, cause: error });
  });
}
