import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as catalog from "./catalog.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { invalid, notFound, notModelled } from "./failure.ts";
import { refuseIfAsked } from "./faults.ts";
import { find } from "./lookup.ts";
import { planObject } from "./objects/catalog.ts";
import { idOf, nulls, words } from "./objects/common.ts";
import { clearable, flag, merged, metadata, text, timestamp } from "./parameters.ts";
import { assertUnscheduled } from "./schedules.ts";
import { end, isOver } from "./subscription-end.ts";

const feedbacks = words(
  "customer_service low_quality missing_features other switched_service too_complex too_expensive unused",
);
const CancellationDetails = v.strictObject({
  comment: v.optional(clearable),
  feedback: v.optional(v.union([v.picklist(feedbacks), v.literal("")])),
});

/** A time, or the end of the period. All items have the same period. */
export const CancelAt = v.union([timestamp, v.picklist(["min_period_end", "max_period_end"])]);

export const SubscriptionUpdate = v.strictObject({
  cancel_at_period_end: v.optional(flag),
  cancel_at: v.optional(v.union([CancelAt, v.literal("")])),
  cancellation_details: v.optional(CancellationDetails),
  default_payment_method: v.optional(text),
  description: v.optional(clearable),
  items: v.optional(v.array(v.strictObject({ id: v.optional(text), price: text }))),
  metadata: v.optional(metadata),
  proration_behavior: v.optional(v.picklist(["none", "create_prorations", "always_invoice"])),
});
export const SubscriptionCancel = v.strictObject({
  cancellation_details: v.optional(CancellationDetails),
  invoice_now: v.optional(flag),
  prorate: v.optional(flag),
});

type Update = v.InferOutput<typeof SubscriptionUpdate>;
type Cancel = v.InferOutput<typeof SubscriptionCancel>;

export function update(account: Account, id: string, params: Update): Stripe.Subscription {
  const subscription = find(account, "subscription", id);
  const { cancellation_details: details, metadata: labels, description, default_payment_method: card } = params;
  if (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined) refuseIfAsked(account.faults);
  if (isOver(subscription) && changesMoreThanWords(params)) {
    // An assumption (README.md): the client knows this code, but older API versions did not send it.
    throw invalid("A canceled subscription can only update its cancellation_details and metadata.", {
      code: "invalid_canceled_subscription_fields",
    });
  }
  if (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined) assertUnscheduled(subscription);
  const customer = idOf(subscription.customer) ?? "";
  const scheduled = { ...subscription, ...cancellation(account, subscription, params) };
  const updated: Stripe.Subscription = {
    ...scheduled,
    ...(params.items && { items: repriced(account, subscription, params) }),
    ...(description !== undefined && { description }),
    ...(card !== undefined && { default_payment_method: customers.ownCard(account, customer, card) }),
    cancellation_details: { ...noDetails, ...scheduled.cancellation_details, ...said(details) },
    metadata: merged(subscription.metadata, labels),
  };
  events.replace(account, "subscription", updated, "customer.subscription.updated");
  if (updated.cancel_at !== null && updated.cancel_at !== subscription.cancel_at)
    schedule(account, updated.cancel_at, { do: "cancel", subscription: id });
  return updated;
}

const wordsOnly: readonly string[] = ["cancellation_details", "metadata"];
const changesMoreThanWords = (params: Update) =>
  Object.entries(params).some(([name, value]) => value !== undefined && !wordsOnly.includes(name));

const noDetails: Stripe.Subscription.CancellationDetails = nulls("comment feedback feedback_option reason");

/** The properties that change when a cancellation is scheduled or withdrawn. */
function cancellation(
  account: Account,
  subscription: Stripe.Subscription,
  params: Update,
): Partial<Stripe.Subscription> {
  const { cancel_at: at, cancel_at_period_end: isAtPeriodEnd } = params;
  if (at !== undefined && isAtPeriodEnd !== undefined)
    throw invalid("Received both cancel_at and cancel_at_period_end parameters. Please pass in only one.");
  const periodEnd = subscription.items.data[0]?.current_period_end ?? 0;
  const asked = subscription.cancellation_details ?? noDetails;
  const wanted = {
    canceled_at: account.now(),
    cancellation_details: { ...asked, reason: "cancellation_requested" as const },
  };
  const notWanted = { cancel_at: null, canceled_at: null, cancellation_details: noDetails };

  if (isAtPeriodEnd === true) return { ...wanted, cancel_at: periodEnd, cancel_at_period_end: true };
  // Keeps a cancellation at a given time, such as one made in the portal. `cancel_at_period_end: false` withdraws only
  // a cancellation at the end of the period.
  if (isAtPeriodEnd === false)
    return subscription.cancel_at_period_end ? { ...notWanted, cancel_at_period_end: false } : {};
  if (at === "") return { ...notWanted, cancel_at_period_end: false };
  if (at === undefined) return {};
  const moment = typeof at === "number" ? at : periodEnd;
  if (moment <= account.now()) throw invalid("`cancel_at` must be in the future.", { param: "cancel_at" });
  return { ...wanted, cancel_at: moment, cancel_at_period_end: false };
}

/** The subscription's only item with another price, from the next invoice on. */
function repriced(account: Account, { items }: Stripe.Subscription, params: Update): Stripe.Subscription["items"] {
  const [item] = items.data;
  const [wanted, ...more] = params.items ?? [];
  if (!item || !wanted || more.length > 0 || wanted.id !== item.id)
    throw notModelled("subscriptions of several items: name the existing one by its id", "items");
  const { price, interval } = catalog.recurringPrice(account, wanted.price, "items[0][price]");
  if (interval.interval !== item.plan.interval || interval.interval_count !== item.plan.interval_count)
    throw notModelled("a change to another interval", "items[0][price]");
  if (params.proration_behavior !== "none") throw notModelled("proration: send none", "proration_behavior");
  return { ...items, data: [{ ...item, price, plan: planObject(price, interval) }] };
}

/** `DELETE /v1/subscriptions/:id`: ends the subscription now. */
export function cancel(account: Account, id: string, params: Cancel): Stripe.Subscription {
  const subscription = find(account, "subscription", id);
  if (isOver(subscription)) throw notFound("subscription", id);
  refuseIfAsked(account.faults);
  assertUnscheduled(subscription);
  if (params.invoice_now) throw notModelled("a last invoice", "invoice_now");
  if (params.prorate) throw notModelled("proration", "prorate");
  const details = said(params.cancellation_details);
  return end(account, subscription, "cancellation_requested", { ...details, canceledAt: account.now() });
}

const said = ({ comment, feedback }: v.InferOutput<typeof CancellationDetails> = {}) => ({
  ...(comment !== undefined && { comment }),
  ...(feedback !== undefined && { feedback: feedback || null }),
});
