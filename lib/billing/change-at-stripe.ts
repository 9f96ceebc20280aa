import type Stripe from "stripe";
import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import * as operations from "../store/operations.ts";
import type { BillingContext } from "./context.ts";
import { idOf } from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

type ChangeIntent = Extract<Intent, { kind: "change" }>;
type Change = { readonly id: string; readonly intent: ChangeIntent };

/** Reads a subscription with its schedule and discounts. */
export const readSubscription = (billing: Billing, id: string): Promise<Stripe.Subscription> =>
  billing((stripe, options) =>
    stripe.subscriptions.retrieve(id, { expand: ["schedule", "discounts.source.coupon"] }, options),
  );

/**
 * Whether Stripe shows the effect of a change, or the change has become impossible, because the subscription ends. Requires
 * an expanded schedule.
 */
export function isChanged(subscription: Stripe.Subscription | undefined, { id, intent }: Change): boolean {
  if (!subscription || isEnding(subscription)) return true;
  if (intent.when === "now") return subscription.items.data[0]?.price.id === intent.price_id;
  const { schedule } = subscription;
  return typeof schedule === "object" && schedule?.metadata?.operation_id === id;
}

const isEnding = ({ status, cancel_at, cancel_at_period_end }: Stripe.Subscription): boolean =>
  status === "canceled" || cancel_at !== null || cancel_at_period_end;

/** Whether a subscription has a schedule that Odis did not make. Requires an expanded schedule. */
export const hasForeignSchedule = (subscription: Stripe.Subscription): boolean =>
  subscription.schedule !== null && !(typeof subscription.schedule === "object" && isOurs(subscription));

/** Whether Odis made the schedule of a subscription, or a crash of Odis has left it with only the current period. */
function isOurs({ schedule, items }: Stripe.Subscription): boolean {
  if (schedule === null || typeof schedule === "string") return false;
  const { metadata, phases, end_behavior } = schedule;
  if (metadata?.made_by === "odis") return true;
  const [phase, ...later] = phases;
  const isPeriod = later.length === 0 && phase?.end_date === items.data[0]?.current_period_end;
  return isPeriod && Object.keys(metadata ?? {}).length === 0 && end_behavior === "release";
}

/** @throws Problem if a change that waited, or was refused, would not be what it was planned to be */
function assertAsPlanned(subscription: Stripe.Subscription, { when, interval, cents }: ChangeIntent): void {
  if (isEnding(subscription)) throw new Problem("cancel_scheduled");
  if (hasForeignSchedule(subscription)) throw new Problem("subscription_not_managed");
  const { unit_amount, recurring } = subscription.items.data[0]?.price ?? {};
  const isFree = subscription.status === "trialing" || (recurring?.interval === interval && unit_amount === cents);
  if (isFree !== (when === "now"))
    throw new Problem("preview_expired", { detail: "The change would no longer be made when it was planned to be" });
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
    if (intent.kind === "unschedule") return await release(billing, subscription);
    if (!isEnding(subscription) && isChanged(subscription, { id, intent })) return;
    assertAsPlanned(subscription, intent);
    const change: SentChange = { intent, key: stripeKeyOf(operation), operationId: id };
    await (intent.when === "now" ? changeNow : changeLater)(billing, subscription, change);
  } catch (error) {
    if (refusalOf(error) || (error instanceof Problem && error.status < 500 && error.code !== "request_in_progress"))
      await operations.refuse(table, operation, now);
    throw error;
  }
}

/**
 * Refuses a change that is still open after it was sent and the member was synchronized. It was dropped in Stripe since, for
 * example in the dashboard. To send it again would have no effect as long as Stripe repeats its responses, and then make a
 * change that was dropped.
 *
 * @returns whether the change was refused
 */
export async function refuseIfUndone({ table, now }: BillingContext, { id, member_id }: Operation): Promise<boolean> {
  const operation = await operations.find(table, member_id, id);
  if (operation?.state !== "open" || operation.intent.kind !== "change") return false;
  await operations.refuse(table, operation, now);
  return true;
}

/** Ends the schedule of a subscription, which discards its later phases. */
async function release(
  billing: Billing,
  { schedule }: Stripe.Subscription,
  params: Stripe.SubscriptionScheduleReleaseParams = {},
): Promise<void> {
  const id = idOf(schedule);
  if (id !== undefined) await billing((stripe, options) => stripe.subscriptionSchedules.release(id, params, options));
}

type SentChange = { readonly intent: ChangeIntent; readonly key: string; readonly operationId: string };

/** Changes the price without a charge. The period and a trial keep their end. */
async function changeNow(
  billing: Billing,
  subscription: Stripe.Subscription,
  { intent: { price_id }, key }: SentChange,
): Promise<void> {
  await release(billing, subscription);
  const items = [{ id: subscription.items.data[0]?.id ?? "", price: price_id }];
  await billing(
    (stripe, options) => stripe.subscriptions.update(subscription.id, { items, proration_behavior: "none" }, options),
    key,
  );
}

/**
 * Plans the new price for the next period. Stripe takes no phases with `from_subscription`, so this takes two calls. A crash
 * between them leaves a schedule without a plan, which the next attempt uses.
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
    await release(billing, { ...subscription, schedule }, { preserve_cancel_date: true });
    throw new Problem("cancel_scheduled");
  }
  // A phase without discounts takes those of the customer.
  const discounts = subscription.discounts.map((discount) => ({ discount: idOf(discount) ?? "" }));
  const phase = { discounts, proration_behavior: "none" } as const;
  await billing(
    (stripe, options) =>
      stripe.subscriptionSchedules.update(
        schedule.id,
        {
          end_behavior: "release",
          metadata: { made_by: "odis", operation_id: operationId, ...planOf(intent) },
          phases: [
            {
              ...phase,
              items: [{ price: item.price.id, quantity: 1 }],
              start_date: current_phase.start_date,
              end_date: item.current_period_end,
            },
            {
              ...phase,
              items: [{ price: price_id, quantity: 1 }],
              duration: { interval, interval_count: 1 },
              ...(interval !== item.price.recurring?.interval && { billing_cycle_anchor: "phase_start" as const }),
            },
          ],
        },
        options,
      ),
    key,
  );
}
