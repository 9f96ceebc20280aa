import type Stripe from "stripe";
import * as v from "valibot";
import { schedule } from "./agenda.ts";
import * as catalog from "./catalog.ts";
import { noCard } from "./collection.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { invalid, notFound, notModelled } from "./failure.ts";
import { paging } from "./lists.ts";
import { planObject } from "./objects/catalog.ts";
import { clearable, flag, integer, merged, metadata, text, timestamp } from "./parameters.ts";
import { day } from "./periods.ts";
import { end, isOver } from "./subscription-end.ts";
import { begin } from "./subscription-start.ts";
import type { World } from "./world.ts";

const feedbacks = [
  "customer_service",
  "low_quality",
  "missing_features",
  "other",
  "switched_service",
  "too_complex",
  "too_expensive",
  "unused",
] as const;
const CancellationDetails = v.strictObject({
  comment: v.optional(clearable),
  feedback: v.optional(v.union([v.picklist(feedbacks), v.literal("")])),
});
const periodEnds = ["min_period_end", "max_period_end"] as const;
const CancelAt = v.union([timestamp, v.picklist(periodEnds)]);

export const SubscriptionCreate = v.strictObject({
  customer: text,
  items: v.array(v.strictObject({ price: text, quantity: v.optional(integer({ min: 1 })) })),
  default_payment_method: v.optional(text),
  payment_behavior: v.optional(v.picklist(["allow_incomplete", "default_incomplete"])),
  trial_period_days: v.optional(integer({ min: 1, max: 730 })),
  trial_end: v.optional(timestamp),
  cancel_at_period_end: v.optional(flag),
  cancel_at: v.optional(CancelAt),
  description: v.optional(text),
  metadata: v.optional(metadata),
  off_session: v.optional(flag),
});
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
export const SubscriptionList = v.strictObject({
  ...paging,
  customer: v.optional(text),
  price: v.optional(text),
  status: v.optional(
    v.picklist([
      "active",
      "all",
      "canceled",
      "ended",
      "incomplete",
      "incomplete_expired",
      "past_due",
      "paused",
      "trialing",
      "unpaid",
    ]),
  ),
});

type Create = v.InferOutput<typeof SubscriptionCreate>;
type Update = v.InferOutput<typeof SubscriptionUpdate>;
type Cancel = v.InferOutput<typeof SubscriptionCancel>;

export function create(world: World, params: Create): Stripe.Subscription {
  const customer = customers.named(world, params.customer);
  const [item, ...more] = params.items;
  if (!item) throw invalid("Missing required param: items.", { code: "parameter_missing", param: "items" });
  if (more.length > 0) throw notModelled("subscriptions of several items", "items");
  const { price, interval } = catalog.recurringPrice(world, item.price, "items[0][price]");
  const own = params.default_payment_method && customers.ownCard(world, customer.id, params.default_payment_method);
  const { trial_period_days: days, trial_end: until = days === undefined ? null : world.now() + days * day } = params;
  const isPaidNow = params.payment_behavior !== "default_incomplete";
  if (isPaidNow && until === null && price.unit_amount !== 0 && !own && !customers.defaultCard(customer))
    throw invalid(noCard, { code: "resource_missing" });

  const begun = begin(world, {
    customer: customer.id,
    price,
    interval,
    quantity: item.quantity ?? 1,
    trialEnd: until,
    card: own ?? null,
    description: params.description ?? null,
    metadata: merged(null, params.metadata),
    announced: "after_payment",
    isPaidNow,
  });
  const { cancel_at_period_end, cancel_at } = params;
  return cancel_at_period_end || cancel_at !== undefined
    ? update(world, begun.id, { cancel_at_period_end, cancel_at })
    : begun;
}

export function update(world: World, id: string, params: Update): Stripe.Subscription {
  const subscription = find(world, id);
  const { cancellation_details: details, metadata: labels, description, default_payment_method: card } = params;
  if (isOver(subscription) && changesMoreThanWords(params)) {
    // The pinned client knows this code; older answers had none.
    throw invalid("A canceled subscription can only update its cancellation_details and metadata.", {
      code: "invalid_canceled_subscription_fields",
    });
  }
  const customer = typeof subscription.customer === "string" ? subscription.customer : subscription.customer.id;
  const scheduled = { ...subscription, ...cancellation(world, subscription, params) };
  const updated: Stripe.Subscription = {
    ...scheduled,
    ...(params.items && { items: repriced(world, subscription, params) }),
    ...(description !== undefined && { description }),
    ...(card !== undefined && { default_payment_method: customers.ownCard(world, customer, card) }),
    cancellation_details: { ...noDetails, ...scheduled.cancellation_details, ...said(details) },
    metadata: merged(subscription.metadata, labels),
  };
  events.replace(world, "subscription", updated, "customer.subscription.updated");
  if (updated.cancel_at !== null && updated.cancel_at !== subscription.cancel_at)
    schedule(world, updated.cancel_at, { do: "cancel", subscription: id });
  return updated;
}

const wordsOnly: readonly string[] = ["cancellation_details", "metadata"];
const changesMoreThanWords = (params: Update) =>
  Object.entries(params).some(([name, value]) => value !== undefined && !wordsOnly.includes(name));

const noDetails: Stripe.Subscription.CancellationDetails = {
  comment: null,
  feedback: null,
  feedback_option: null,
  reason: null,
};

/** What scheduling a cancellation, or taking it back, changes. */
function cancellation(world: World, subscription: Stripe.Subscription, params: Update): Partial<Stripe.Subscription> {
  const { cancel_at: at, cancel_at_period_end: isAtPeriodEnd } = params;
  if (at !== undefined && isAtPeriodEnd !== undefined)
    throw invalid("Received both cancel_at and cancel_at_period_end parameters. Please pass in only one.");
  const periodEnd = subscription.items.data[0]?.current_period_end ?? 0;
  const asked = subscription.cancellation_details ?? noDetails;
  const wanted = {
    canceled_at: world.now(),
    cancellation_details: { ...asked, reason: "cancellation_requested" as const },
  };
  const notWanted = { cancel_at: null, canceled_at: null, cancellation_details: noDetails };

  if (isAtPeriodEnd === true) return { ...wanted, cancel_at: periodEnd, cancel_at_period_end: true };
  // A cancellation at a certain time, as the portal schedules it, is not one at the period's end: this leaves it alone.
  if (isAtPeriodEnd === false)
    return subscription.cancel_at_period_end ? { ...notWanted, cancel_at_period_end: false } : {};
  if (at === "") return { ...notWanted, cancel_at_period_end: false };
  if (at === undefined) return {};
  const moment = typeof at === "number" ? at : periodEnd;
  if (moment <= world.now()) throw invalid("`cancel_at` must be in the future.", { param: "cancel_at" });
  return { ...wanted, cancel_at: moment, cancel_at_period_end: false };
}

/** The only item with another price, from the next invoice on. */
function repriced(world: World, { items }: Stripe.Subscription, params: Update): Stripe.Subscription["items"] {
  const [item] = items.data;
  const [wanted, ...more] = params.items ?? [];
  if (!item || !wanted || more.length > 0 || wanted.id !== item.id)
    throw notModelled("subscriptions of several items: name the existing one by its id", "items");
  const { price, interval } = catalog.recurringPrice(world, wanted.price, "items[0][price]");
  if (interval.interval !== item.plan.interval || interval.interval_count !== item.plan.interval_count)
    throw notModelled("a change to another interval", "items[0][price]");
  if (params.proration_behavior !== "none") throw notModelled("proration: send none", "proration_behavior");
  return { ...items, data: [{ ...item, price, plan: planObject(price, interval) }] };
}

/** `DELETE /v1/subscriptions/:id`: now. */
export function cancel(world: World, id: string, params: Cancel): Stripe.Subscription {
  const subscription = find(world, id);
  if (isOver(subscription)) throw notFound("subscription", id);
  if (params.invoice_now) throw notModelled("a last invoice", "invoice_now");
  if (params.prorate) throw notModelled("proration", "prorate");
  const details = said(params.cancellation_details);
  return end(world, subscription, "cancellation_requested", { ...details, canceledAt: world.now() });
}

const said = ({ comment, feedback }: v.InferOutput<typeof CancellationDetails> = {}) => ({
  ...(comment !== undefined && { comment }),
  ...(feedback !== undefined && { feedback: feedback || null }),
});

/** Which ones a list is asked for: without a status, those that are not canceled. */
export const isListed = (subscription: Stripe.Subscription, params: v.InferOutput<typeof SubscriptionList>): boolean =>
  (params.customer === undefined || subscription.customer === params.customer) &&
  (params.price === undefined || subscription.items.data.some(({ price }) => price.id === params.price)) &&
  hasStatus(subscription, params.status);

function hasStatus(subscription: Stripe.Subscription, status: string | undefined): boolean {
  if (status === "all") return true;
  if (status === "ended") return isOver(subscription);
  return status === undefined ? subscription.status !== "canceled" : subscription.status === status;
}

/** @throws ApiFailure 404 */
export function find(world: World, id: string): Stripe.Subscription {
  const subscription = world.get("subscription", id);
  if (!subscription) throw notFound("subscription", id);
  return subscription;
}
