import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as agenda from "./agenda.ts";
import * as catalog from "./catalog.ts";
import * as events from "./events.ts";
import { invalid, notModelled } from "./failure.ts";
import { find } from "./lookup.ts";
import { idOf } from "./objects/common.ts";
import { type NewPhase, scheduleObject } from "./objects/subscription-schedule.ts";
import { flag, text } from "./parameters.ts";
import { day, periodEnd } from "./periods.ts";
import { currentTax } from "./tax.ts";

/** The prices that a subscription will have, each from a number of days on. */
export const Schedule = v.strictObject({
  phases: v.pipe(
    v.array(v.strictObject({ price: text, starts_in_days: v.pipe(v.number(), v.minValue(0)) })),
    v.minLength(1),
  ),
});
export const ScheduleRelease = v.strictObject({ preserve_cancel_date: v.optional(flag) });

type Schedule = Stripe.SubscriptionSchedule;

/** Creates a schedule for a subscription, which is unchanged until the first phase and released after the last one. */
export function scheduleFor(
  account: Account,
  subscription: Stripe.Subscription,
  { phases: wanted }: v.InferOutput<typeof Schedule>,
): Stripe.Subscription {
  assertUnscheduled(subscription);
  assertBegun(subscription);
  const [item] = subscription.items.data;
  if (!item) throw new Error("A subscription has an item");
  const now = account.now();
  const quantity = item.quantity ?? 1;
  const later = wanted.map(({ price, starts_in_days: days }) => ({
    ...catalog.recurringPrice(account, price, "phases[price]"),
    start: Math.floor(now + days * day),
  }));
  const starts = [now, ...later.map(({ start }) => start)];
  if (starts.some((start, n) => n > 0 && start < (starts[n - 1] ?? 0)))
    throw invalid("The phases must be in the order of their starts.", { param: "phases" });
  const discounts = subscription.discounts.map((discount) => idOf(discount) ?? "");
  const phases = [{ price: item.price, interval: item.plan, start: item.current_period_start }, ...later].map(
    ({ price, interval, start }, n): NewPhase => ({
      price,
      quantity,
      discounts,
      tax: currentTax(subscription),
      start,
      end: starts[n + 1] ?? periodEnd(start, start, interval),
    }),
  );
  const card = idOf(subscription.default_payment_method) ?? null;
  const schedule = scheduleObject({ id: account.newId("sub_sched"), created: now, subscription, phases, card });
  events.create(account, "subscription_schedule", schedule, "subscription_schedule.created");
  scheduleTasks(account, schedule);
  return { ...subscription, schedule: schedule.id };
}

/** Refuses a schedule of a subscription whose first invoice is not paid, or that is paused. */
export function assertBegun({ status }: Stripe.Subscription): void {
  if (status === "incomplete" || status === "paused")
    throw notModelled(`a schedule of a subscription that is ${status}`, "from_subscription");
}

/** Schedules the starts of the phases that follow, and the end of the last one. */
export function scheduleTasks(account: Account, { id, phases, current_phase: current }: Schedule): void {
  for (const { start_date: start } of phases.slice(1))
    if (start >= (current?.end_date ?? 0)) agenda.schedule(account, start, { do: "start_phase", schedule: id });
  agenda.schedule(account, phases.at(-1)?.end_date ?? account.now(), { do: "release", schedule: id });
}

/** `POST /v1/subscription_schedules/:id/release`: ends the schedule without changing the subscription. */
export function release(account: Account, id: string): Schedule {
  const schedule = find(account, "subscription_schedule", id);
  if (schedule.status !== "active" && schedule.status !== "not_started")
    throw invalid(`You cannot release a subscription schedule that is currently in the \`${schedule.status}\` status.`);
  const subscription = account.get("subscription", schedule.subscription);
  const released: Schedule = {
    ...schedule,
    status: "released",
    current_phase: null,
    released_at: account.now(),
    released_subscription: subscription?.id ?? null,
    subscription: null,
  };
  events.replace(account, "subscription_schedule", released, "subscription_schedule.released");
  if (subscription)
    events.replace(account, "subscription", { ...subscription, schedule: null }, "customer.subscription.updated");
  return released;
}

/** Ends the schedule of a subscription that has ended. */
export function cancelWith(account: Account, subscription: Stripe.Subscription): void {
  const schedule = account.get("subscription_schedule", subscription.schedule);
  if (schedule?.status !== "active") return;
  const canceled: Schedule = { ...schedule, status: "canceled", current_phase: null, canceled_at: account.now() };
  events.replace(account, "subscription_schedule", canceled, "subscription_schedule.canceled");
}

/** @throws ApiFailure while a schedule manages the cancellation of a subscription */
export function assertUnscheduled({ schedule }: Stripe.Subscription): void {
  if (schedule === null) return;
  throw invalid(
    `The subscription is managed by the subscription schedule \`${idOf(schedule)}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
  );
}
