import type Stripe from "stripe";
import type { Intent, Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import { subscriptionFields } from "./snapshot.ts";
import { type Billing, refusalOf } from "./stripe.ts";

export type ChangeIntent = Extract<Intent, { kind: "change" }>;
type Change = { readonly id: string; readonly intent: ChangeIntent };

const expanded = ["customer", "schedule", "discounts.source.coupon", "latest_invoice"];
export const paymentMethods = ["default_payment_method", "customer.invoice_settings.default_payment_method"] as const;

/** Reads a subscription with its customer, schedule, discounts and latest invoice. */
export const readSubscription = (billing: Billing, id: string): Promise<Stripe.Subscription> =>
  billing((stripe, options) => stripe.subscriptions.retrieve(id, { expand: expanded }, options));

/** Reads a subscription also with its payment method, unless Stripe refuses that, as for a deleted customer. */
export const readToChange = (billing: Billing, id: string): Promise<Stripe.Subscription> =>
  billing((stripe, options) =>
    stripe.subscriptions.retrieve(id, { expand: [...expanded, ...paymentMethods] }, options),
  ).catch((error: unknown) => {
    if (!refusalOf(error)) throw error;
    return readSubscription(billing, id);
  });

/** What Stripe charges for a subscription without asking. Requires an expanded customer. */
function chargedTo({ customer, default_payment_method, default_source }: Stripe.Subscription) {
  if (default_payment_method ?? default_source) return default_payment_method ?? default_source;
  if (typeof customer === "string" || customer.deleted) return null;
  return customer.invoice_settings.default_payment_method ?? customer.default_source;
}

/** Whether Stripe can charge a subscription without asking for a card. Requires an expanded customer. */
export const hasCard = (subscription: Stripe.Subscription): boolean => chargedTo(subscription) !== null;

const bankDebits: readonly string[] = [
  "acss_debit",
  "au_becs_debit",
  "bacs_debit",
  "nz_bank_account",
  "sepa_debit",
  "us_bank_account",
];

/**
 * Whether a subscription is paid by bank debit. Such a payment takes days, and Stripe lets no change wait for it
 * (https://docs.stripe.com/billing/subscriptions/pending-updates). Requires an expanded payment method.
 */
export function isDebited(subscription: Stripe.Subscription): boolean {
  const method = chargedTo(subscription);
  return method !== null && typeof method === "object" && "type" in method && bankDebits.includes(method.type);
}

/** The only item of a subscription that Odis changes. */
export function itemOf({ items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (!item) throw new Problem("subscription_not_managed");
  return item;
}

/**
 * Whether Stripe shows the effect of a change, or the change has become impossible, because the subscription ends. A change
 * that waits for its payment at Stripe counts: Stripe makes it once it is paid. Requires an expanded schedule.
 */
export function isChanged(subscription: Stripe.Subscription | undefined, change: Change): boolean {
  if (!subscription || isEnding(subscription)) return true;
  const { id, intent } = change;
  if (intent.when === "now")
    return subscription.items.data[0]?.price.id === intent.price_id || waitsFor(subscription, change);
  const { schedule } = subscription;
  return typeof schedule === "object" && schedule?.metadata?.operation_id === id;
}

/**
 * Whether Stripe shows the effect of an operation, or the operation has become impossible. Undefined for an operation that is
 * neither a change nor schedules the end of a subscription.
 */
export function isMade(subscription: Stripe.Subscription | undefined, { id, intent }: Operation): boolean | undefined {
  const hasEnded = subscription === undefined || subscription.status === "canceled";
  if (intent.kind === "change") return isChanged(subscription, { id, intent });
  if (intent.kind === "uncancel") return hasEnded || !isEnding(subscription);
  if (intent.kind === "cancel" && intent.mode === "at_period_end") return hasEnded || endsWithPeriod(subscription);
  return undefined;
}

/** Whether a change waits until its invoice is paid. It is found by the metadata that Stripe stores with it. */
export const waitsFor = ({ pending_update: update }: Stripe.Subscription, { id }: Pick<Change, "id">): boolean =>
  update?.metadata?.change_id === id;

export const isEnding = ({ status, cancel_at, cancel_at_period_end }: Stripe.Subscription): boolean =>
  status === "canceled" || cancel_at !== null || cancel_at_period_end;

/** Whether a subscription has ended, or ends before it is renewed. */
export const endsWithPeriod = (subscription: Stripe.Subscription): boolean =>
  subscription.status === "canceled" || subscriptionFields(subscription).cancel_at_period_end;

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
