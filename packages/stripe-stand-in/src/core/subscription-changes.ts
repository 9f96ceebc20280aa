import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { invalid, notFound, notModelled } from "./failure.ts";
import { refuseIfAsked } from "./faults.ts";
import { pendingItems } from "./invoice-lines.ts";
import { find } from "./lookup.ts";
import { idOf, nulls, words } from "./objects/common.ts";
import { clearable, flag, merged, metadata, text, timestamp } from "./parameters.ts";
import { assertSupported, discard, expireOnConflict } from "./pending-updates.ts";
import { changesPrice, itemChange, planChange, priceChange } from "./price-change.ts";
import { assertUnscheduled } from "./schedules.ts";
import { bill, PaymentBehavior } from "./subscription-billing.ts";
import { end, isOver } from "./subscription-end.ts";
import { TaxRates, taxOf, taxParams, withTax } from "./tax.ts";

const feedbacks = words(
  "customer_service low_quality missing_features other switched_service too_complex too_expensive unused",
);
const CancellationDetails = v.strictObject({
  comment: v.optional(clearable),
  feedback: v.optional(v.union([v.picklist(feedbacks), v.literal("")])),
});

/** A time, or the end of the period. All items have the same period. */
export const CancelAt = v.union([timestamp, v.picklist(["min_period_end", "max_period_end"])]);

/** Whether a card that pays an invoice becomes that of the subscription. */
export const PaymentSettings = v.strictObject({ save_default_payment_method: v.picklist(["off", "on_subscription"]) });

export const SubscriptionUpdate = v.strictObject({
  cancel_at_period_end: v.optional(flag),
  cancel_at: v.optional(v.union([CancelAt, v.literal("")])),
  cancellation_details: v.optional(CancellationDetails),
  default_payment_method: v.optional(text),
  description: v.optional(clearable),
  metadata: v.optional(metadata),
  payment_settings: v.optional(PaymentSettings),
  ...priceChange,
  items: v.optional(v.array(v.strictObject({ ...itemChange, tax_rates: v.optional(TaxRates) }))),
  ...taxParams,
  payment_behavior: v.optional(PaymentBehavior),
});
export const SubscriptionCancel = v.strictObject({
  cancellation_details: v.optional(CancellationDetails),
  invoice_now: v.optional(flag),
  prorate: v.optional(flag),
});

type Update = v.InferOutput<typeof SubscriptionUpdate>;
type Cancel = v.InferOutput<typeof SubscriptionCancel>;

export function update(account: Account, id: string, params: Update): Stripe.Subscription {
  const { cancellation_details: details, metadata: labels, description, default_payment_method: card } = params;
  const { payment_behavior: behavior = "allow_incomplete" } = params;
  if (behavior === "pending_if_incomplete") assertSupported(params);
  if (changesPrice(params)) discard(account, find(account, "subscription", id).id, { isExpired: false });
  else expireOnConflict(account, find(account, "subscription", id), params.cancel_at_period_end);
  const subscription = find(account, "subscription", id);
  if (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined) refuseIfAsked(account.faults);
  if (isOver(subscription) && changesMoreThanWords(params)) {
    // An assumption (README.md): the client knows this code, but older API versions did not send it.
    throw invalid("A canceled subscription can only update its cancellation_details and metadata.", {
      code: "invalid_canceled_subscription_fields",
    });
  }
  if (params.cancel_at_period_end !== undefined || params.cancel_at !== undefined) assertUnscheduled(subscription);
  const customer = idOf(subscription.customer) ?? "";
  const scheduled = { ...withTax(subscription, taxOf(params)), ...cancellation(account, subscription, params) };
  const updated: Stripe.Subscription = {
    ...scheduled,
    ...(description !== undefined && { description }),
    ...(params.payment_settings &&
      subscription.payment_settings && {
        payment_settings: { ...subscription.payment_settings, ...params.payment_settings },
      }),
    ...(card !== undefined && { default_payment_method: customers.ownCard(account, customer, card) }),
    cancellation_details: { ...noDetails, ...scheduled.cancellation_details, ...said(details) },
    metadata: merged(subscription.metadata, labels),
  };
  if (changesPrice(params)) {
    const change = planChange(account, updated, params);
    const cancelsAtPeriodEnd = params.cancel_at_period_end ?? null;
    const isCleared = labels === "" && behavior === "pending_if_incomplete";
    if (isCleared) throw notModelled("the removal of all metadata with a pending update", "metadata");
    bill(account, change, { behavior, metadata: labels || null, cancelsAtPeriodEnd });
  } else events.replace(account, "subscription", updated, "customer.subscription.updated");
  const changed = account.get("subscription", id) ?? updated;
  if (changed.cancel_at !== null && changed.cancel_at !== subscription.cancel_at)
    schedule(account, changed.cancel_at, { do: "cancel", subscription: id });
  return changed;
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

/** `DELETE /v1/subscriptions/:id`: ends the subscription now. */
export function cancel(account: Account, id: string, params: Cancel): Stripe.Subscription {
  const subscription = find(account, "subscription", id);
  if (isOver(subscription)) throw notFound("subscription", id);
  refuseIfAsked(account.faults);
  assertUnscheduled(subscription);
  if (params.invoice_now) throw notModelled("a last invoice", "invoice_now");
  if (params.prorate) throw notModelled("proration", "prorate");
  const details = said(params.cancellation_details);
  removePending(account, id);
  return end(account, subscription, "cancellation_requested", { ...details, canceledAt: account.now() });
}

/** Removes the pending prorations of a subscription that is canceled without a last invoice. */
function removePending(account: Account, subscription: string): void {
  for (const item of pendingItems(account, subscription)) {
    account.remove("invoiceitem", item.id);
    events.emit(account, "invoiceitem.deleted", item);
  }
}

const said = ({ comment, feedback }: v.InferOutput<typeof CancellationDetails> = {}) => ({
  ...(comment !== undefined && { comment }),
  ...(feedback !== undefined && { feedback: feedback || null }),
});
