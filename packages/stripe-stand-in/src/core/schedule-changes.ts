import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as catalog from "./catalog.ts";
import * as events from "./events.ts";
import { invalid, notModelled } from "./failure.ts";
import { find, named } from "./lookup.ts";
import { idOf } from "./objects/common.ts";
import { type NewPhase, phaseObject, scheduleObject } from "./objects/subscription-schedule.ts";
import { flag, integer, merged, metadata, text, timestamp } from "./parameters.ts";
import { discard } from "./pending-updates.ts";
import { periodAround, periodEnd } from "./periods.ts";
import { ProrationBehavior, planItem } from "./price-change.ts";
import { discountsOf, itemOf } from "./schedule-phases.ts";
import { assertBegun, scheduleTasks } from "./schedules.ts";
import { bill } from "./subscription-billing.ts";
import { end, isOver } from "./subscription-end.ts";
import { currentTax, TaxRates, taxOf, taxParams, withTaxOfPhase } from "./tax.ts";

type Schedule = Stripe.SubscriptionSchedule;

export const ScheduleCreate = v.looseObject({ from_subscription: v.optional(text) });

const Phase = v.strictObject({
  items: v.array(v.strictObject({ ...catalog.itemParams, tax_rates: v.optional(TaxRates) })),
  start_date: v.optional(v.union([timestamp, v.literal("now")])),
  end_date: v.optional(timestamp),
  duration: v.optional(
    v.strictObject({
      interval: v.picklist(["day", "week", "month", "year"]),
      interval_count: v.optional(integer({ min: 1 }), 1),
    }),
  ),
  billing_cycle_anchor: v.optional(v.picklist(["automatic", "phase_start"])),
  proration_behavior: v.optional(ProrationBehavior),
  discounts: v.optional(v.union([v.array(v.strictObject({ discount: text })), v.literal("")])),
  metadata: v.optional(v.record(v.string(), v.string())),
  trial_end: v.optional(timestamp),
  ...taxParams,
});
export const ScheduleUpdate = v.strictObject({
  default_settings: v.optional(v.strictObject({ default_payment_method: text })),
  phases: v.optional(v.pipe(v.array(Phase), v.minLength(1))),
  end_behavior: v.optional(v.picklist(["release", "cancel"])),
  metadata: v.optional(metadata),
  proration_behavior: v.optional(ProrationBehavior),
});
export const ScheduleCancel = v.strictObject({ invoice_now: v.optional(flag), prorate: v.optional(flag) });
type Update = v.InferOutput<typeof ScheduleUpdate>;

/** `POST /v1/subscription_schedules`: puts a subscription under a schedule, whose only phase is the current period. */
export function create(account: Account, params: v.InferOutput<typeof ScheduleCreate>): Schedule {
  const { from_subscription: id, ...others } = params;
  if (id === undefined) throw notModelled("schedules of new subscriptions", "from_subscription");
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw invalid(`You cannot set \`${other}\` if \`from_subscription\` is set.`, { param: other });
  const subscription = named(account, "subscription", id, "from_subscription");
  const [item] = subscription.items.data;
  if (subscription.schedule !== null) {
    const words = `You cannot migrate a subscription that is already attached to a schedule: \`${idOf(subscription.schedule)}\`.`;
    throw invalid(words, { param: "from_subscription" });
  }
  if (isOver(subscription) || !item)
    throw invalid(`You cannot migrate a subscription that is in the \`${subscription.status}\` status.`);
  if (subscription.cancel_at !== null) throw notModelled("a schedule of a subscription that is going to end");
  assertBegun(subscription);
  const phase: NewPhase = {
    price: item.price,
    quantity: item.quantity ?? 1,
    start: item.current_period_start,
    end: item.current_period_end,
    discounts: subscription.discounts.map((discount) => idOf(discount) ?? ""),
    tax: currentTax(subscription),
    behavior: "create_prorations",
    trialEnd: subscription.status === "trialing" ? subscription.trial_end : null,
  };
  const schedule = scheduleObject({
    id: account.newId("sub_sched"),
    created: account.now(),
    subscription,
    phases: [phase],
    card: account.faults.schedule_card === "copied" ? (idOf(subscription.default_payment_method) ?? null) : null,
  });
  events.create(account, "subscription_schedule", schedule, "subscription_schedule.created");
  scheduleTasks(account, schedule);
  const scheduled = { ...subscription, schedule: schedule.id };
  events.replace(account, "subscription", scheduled, "customer.subscription.updated");
  return schedule;
}

/** `POST /v1/subscription_schedules/:id`: replaces the current phase and those after it. */
export function update(account: Account, id: string, params: Update): Schedule {
  const schedule = find(account, "subscription_schedule", id);
  if (schedule.status !== "active")
    throw invalid(`You cannot update a subscription schedule that is currently in the \`${schedule.status}\` status.`);
  if (params.end_behavior === "cancel") throw notModelled("a schedule that ends with its subscription", "end_behavior");
  const subscription = named(account, "subscription", idOf(schedule.subscription) ?? "", "subscription");
  const phases = params.phases ? phasesOf(account, { schedule, subscription }, params.phases) : schedule.phases;
  const [current] = phases;
  if (!current) throw new Error("A schedule has a phase");
  const card = params.default_settings?.default_payment_method;
  const owner = card === undefined ? undefined : named(account, "payment_method", card, "default_settings").customer;
  if (owner !== undefined && idOf(owner) !== idOf(subscription.customer))
    throw invalid(`The payment method ${card} does not belong to the customer of the schedule.`);
  const updated: Schedule = {
    ...schedule,
    ...(card !== undefined && { default_settings: { ...schedule.default_settings, default_payment_method: card } }),
    metadata: merged(schedule.metadata, params.metadata),
    phases,
    ...(params.phases && { current_phase: { start_date: current.start_date, end_date: current.end_date } }),
  };
  events.replace(account, "subscription_schedule", updated, "subscription_schedule.updated");
  if (params.phases) {
    scheduleTasks(account, updated);
    applyCurrent(account, subscription, current, params);
  }
  return updated;
}

/** The current phase also changes the subscription, including the discounts and the tax settings that it leaves out. */
function applyCurrent(
  account: Account,
  subscription: Stripe.Subscription,
  phase: Stripe.SubscriptionSchedule.Phase,
  params: Update,
): void {
  const changed = itemOf(account, withTaxOfPhase(subscription, phase), phase);
  if (!changed) return;
  if (changed.price.id !== subscription.items.data[0]?.price.id)
    discard(account, subscription.id, { isExpired: false });
  const current = account.get("subscription", subscription.id) ?? subscription;
  const base = { ...withTaxOfPhase(current, phase), discounts: discountsOf(account, subscription, phase) };
  const behavior = params.proration_behavior ?? "create_prorations";
  const change = planItem(account, base, { changed, isReset: false, behavior, date: account.now() });
  bill(account, change, { behavior: "scheduled", metadata: null, cancelsAtPeriodEnd: null });
}

type PhaseParams = v.InferOutput<typeof Phase>;
type Scheduled = { readonly schedule: Schedule; readonly subscription: Stripe.Subscription };

/** @throws ApiFailure 400 unless the phases begin with the current one, and each begins where the last one ends */
function phasesOf(account: Account, { schedule, subscription }: Scheduled, phaseParams: readonly PhaseParams[]) {
  const current = schedule.current_phase;
  if (phaseParams.length > 10) throw invalid("You can have up to 10 phases.", { param: "phases" });
  if (phaseParams[0]?.start_date === undefined)
    throw invalid("Missing at least one phase with `start_date` to anchor end dates.", { param: "phases" });
  if (phaseParams[0].start_date !== current?.start_date)
    throw invalid("You can not modify the start date of the current phase.", { param: "phases[0][start_date]" });
  assertTrial(subscription, phaseParams);
  const phases: Stripe.SubscriptionSchedule.Phase[] = [];
  const keptPrice = account.faults.archived_current_price === "kept" ? subscription.items.data[0]?.price.id : undefined;
  let start = current.start_date;
  for (const [n, params] of phaseParams.entries()) {
    const param = `phases[${n}]`;
    if (n > 0 && params.start_date !== undefined && params.start_date !== start)
      throw invalid("The start date of a phase must be the end date of the one before.", {
        param: `${param}[start_date]`,
      });
    const phase = newPhase(account, params, {
      start,
      next: phaseParams[n + 1]?.start_date,
      param,
      kept: n === 0 ? keptPrice : undefined,
    });
    if (phase.end <= (n === 0 ? account.now() : start))
      throw invalid("The end date of a phase must be after its start date and in the future.", {
        param: `${param}[end_date]`,
      });
    if (n > 0) assertWholePeriods(account, subscription, phase);
    phases.push(phaseObject(phase));
    start = phase.end;
  }
  return phases;
}

/** Phases repeat the end of a trial. Stripe ends a trial whose phase leaves it out. */
function assertTrial({ status, trial_end }: Stripe.Subscription, [current, ...later]: readonly PhaseParams[]): void {
  const trialEnd = status === "trialing" ? (trial_end ?? undefined) : undefined;
  if (current?.trial_end !== trialEnd) throw notModelled("another end of a trial", "phases[0][trial_end]");
  if (later.some((phase) => phase.trial_end !== undefined)) throw notModelled("trials of later phases", "phases");
}

/** @throws ApiFailure 400 for a phase that begins within a period of its interval, unless it begins a new one */
function assertWholePeriods(account: Account, subscription: Stripe.Subscription, { price, start, anchor }: NewPhase) {
  const { plan } = subscription.items.data[0] ?? {};
  const { recurring } = price;
  if (!plan || !recurring || anchor === "phase_start" || account.faults.billing_date === "reset") return;
  if (plan.interval === recurring.interval && plan.interval_count === recurring.interval_count) return;
  if (periodAround(start, subscription.billing_cycle_anchor, recurring).start === start) return;
  throw notModelled("a phase with another interval within its period: send `phase_start`", "phases");
}

type Place = {
  readonly start: number;
  /** The start of the next phase, if it is given. */
  readonly next: number | "now" | undefined;
  readonly param: string;
  /** Id of a price that may be inactive. */
  readonly kept: string | undefined;
};

function newPhase(account: Account, phase: PhaseParams, { start, next, param, kept }: Place): NewPhase {
  const { price, interval, quantity } = catalog.onlyItem(account, phase.items, `${param}[items]`, kept);
  if (phase.end_date !== undefined && phase.duration !== undefined)
    throw invalid("You may only specify one of these parameters: end_date, duration.", { param });
  const endDate =
    phase.end_date ??
    (phase.duration || typeof next !== "number" ? periodEnd(start, start, phase.duration ?? interval) : next);
  return {
    price,
    quantity,
    start,
    end: endDate,
    discounts: phase.discounts
      ? phase.discounts.map(({ discount }) => named(account, "discount", discount, `${param}[discounts]`).id)
      : [],
    tax: taxOf(phase),
    metadata: phase.metadata ?? {},
    behavior: phase.proration_behavior ?? "create_prorations",
    anchor: phase.billing_cycle_anchor ?? null,
    trialEnd: phase.trial_end ?? null,
  };
}

/** `POST /v1/subscription_schedules/:id/cancel`: also ends the subscription. */
export function cancel(account: Account, id: string, params: v.InferOutput<typeof ScheduleCancel>): Schedule {
  const schedule = find(account, "subscription_schedule", id);
  if (schedule.status !== "active")
    throw invalid(`You cannot cancel a subscription schedule that is currently in the \`${schedule.status}\` status.`);
  if (params.prorate !== false || params.invoice_now !== false)
    throw notModelled("a last invoice of a schedule: send false for `prorate` and `invoice_now`", "prorate");
  const subscription = named(account, "subscription", idOf(schedule.subscription) ?? "", "subscription");
  end(account, subscription, "cancellation_requested", { canceledAt: account.now() });
  return find(account, "subscription_schedule", id);
}
