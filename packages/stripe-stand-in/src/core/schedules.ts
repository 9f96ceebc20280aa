import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as agenda from "./agenda.ts";
import * as catalog from "./catalog.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { find } from "./lookup.ts";
import { planObject } from "./objects/catalog.ts";
import { idOf } from "./objects/common.ts";
import { type NewPhase, scheduleObject } from "./objects/subscription-schedule.ts";
import { flag, text } from "./parameters.ts";
import { day, periodEnd } from "./periods.ts";

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
  const phases = [{ price: item.price, interval: item.plan, start: item.current_period_start }, ...later].map(
    ({ price, interval, start }, n): NewPhase => ({
      price,
      quantity,
      start,
      end: starts[n + 1] ?? periodEnd(start, start, interval),
    }),
  );
  const schedule = scheduleObject({ id: account.newId("sub_sched"), created: now, subscription, phases });
  events.create(account, "subscription_schedule", schedule, "subscription_schedule.created");
  for (const [phase, { start }] of phases.entries())
    if (phase > 0) agenda.schedule(account, start, { do: "start_phase", schedule: schedule.id, phase });
  agenda.schedule(account, phases.at(-1)?.end ?? now, { do: "release", schedule: schedule.id });
  return { ...subscription, schedule: schedule.id };
}

/** The item of a subscription at a time, if its schedule changes it until then. */
export function itemAt(
  account: Account,
  { schedule: id, items }: Stripe.Subscription,
  moment: number,
): Stripe.SubscriptionItem | undefined {
  const schedule = account.get("subscription_schedule", id);
  if (schedule?.status !== "active") return undefined;
  const phase = schedule.phases.findLast(({ start_date: start }) => start > account.now() && start <= moment);
  const price = account.get("price", phase?.items[0]?.price);
  const [item] = items.data;
  if (!phase || !price?.recurring || !item) return undefined;
  return { ...item, price, plan: planObject(price, price.recurring), quantity: phase.items[0]?.quantity ?? 1 };
}

/** Starts a phase of an active schedule. The next invoice of the subscription has the price of the phase. */
export function startPhase(account: Account, id: string, phase: number): void {
  const schedule = account.get("subscription_schedule", id);
  const subscription = account.get("subscription", schedule?.subscription);
  const [wanted, item] = [schedule?.phases[phase], subscription?.items.data[0]];
  if (schedule?.status !== "active" || !subscription || !wanted || !item) return;
  const price = account.get("price", wanted.items[0]?.price);
  if (!price?.recurring) return;
  const current_phase = { start_date: wanted.start_date, end_date: wanted.end_date };
  events.replace(account, "subscription_schedule", { ...schedule, current_phase }, "subscription_schedule.updated");
  const items = { ...subscription.items, data: [{ ...item, price, plan: planObject(price, price.recurring) }] };
  events.replace(account, "subscription", { ...subscription, items }, "customer.subscription.updated");
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

/** Releases a subscription at the end of its schedule. */
export function releaseIfActive(account: Account, id: string): void {
  if (account.get("subscription_schedule", id)?.status === "active") release(account, id);
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
