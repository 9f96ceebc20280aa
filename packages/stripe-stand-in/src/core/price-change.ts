import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as catalog from "./catalog.ts";
import { invalid, notModelled } from "./failure.ts";
import { periodLine, priceOf } from "./invoice-lines.ts";
import { planObject } from "./objects/catalog.ts";
import type { LineFields } from "./objects/invoice.ts";
import type { Period } from "./objects/subscription.ts";
import { integer, text, timestamp } from "./parameters.ts";
import { periodAround, periodEnd } from "./periods.ts";
import { credits, debit } from "./prorations.ts";

export const ProrationBehavior = v.picklist(["none", "create_prorations", "always_invoice"]);

export const itemChange = {
  id: v.optional(text),
  price: v.optional(text),
  quantity: v.optional(integer({ min: 1 })),
};

/** The parameters that change what is billed, of an update and of a preview. */
export const priceChange = {
  items: v.optional(v.array(v.strictObject(itemChange))),
  proration_behavior: v.optional(ProrationBehavior),
  proration_date: v.optional(timestamp),
  billing_cycle_anchor: v.optional(v.strictObject({ type: v.picklist(["now", "unchanged"]) })),
};
const PriceChange = v.object(priceChange);
export type PriceChangeParams = v.InferOutput<typeof PriceChange>;

export const changesPrice = ({ items, billing_cycle_anchor: anchor }: PriceChangeParams): boolean =>
  items !== undefined || anchor?.type === "now";

export type PriceChange = {
  /** The subscription after the change. */
  readonly target: Stripe.Subscription;
  readonly prorations: readonly LineFields[];
  /** The line of the period that begins now, if the billing date is reset. */
  readonly cycle: LineFields | null;
  /** Whether an invoice is issued now. */
  readonly isBilledNow: boolean;
  readonly past: Period;
};

/**
 * What a change of the price, the quantity or the billing date does, without doing it.
 *
 * @throws ApiFailure 400 if the change is not possible
 */
export function planChange(
  account: Account,
  subscription: Stripe.Subscription,
  params: PriceChangeParams,
): PriceChange {
  const item = only(subscription);
  const date = dateOf(account, item, params);
  const changed = changedItem(account, item, params);
  const isReset = resets(account, { subscription, item, changed, params });
  const behavior = params.proration_behavior ?? "create_prorations";
  const change = planItem(account, subscription, { changed, isReset, behavior, date });
  if (change.target !== subscription && subscription.status === "incomplete")
    throw notModelled("a change of an incomplete subscription", "items");
  if (change.isBilledNow) assertBillable(subscription);
  return change;
}

type ItemChange = {
  readonly changed: Stripe.SubscriptionItem;
  readonly isReset: boolean;
  readonly behavior: v.InferOutput<typeof ProrationBehavior>;
  /** The time of the change, for its prorations. */
  readonly date: number;
};

/** What another price or quantity of the item of a subscription does. Without a change, the target is the same. */
export function planItem(
  account: Account,
  subscription: Stripe.Subscription,
  { changed, isReset, behavior, date }: ItemChange,
): PriceChange {
  const now = account.now();
  const item = only(subscription);
  const past = { start: item.current_period_start, end: now };
  const isUnchanged = changed.price.id === item.price.id && changed.quantity === item.quantity && !isReset;
  if (isUnchanged) return { target: subscription, prorations: [], cycle: null, isBilledNow: false, past };

  const period = isReset
    ? { start: now, end: periodEnd(now, now, changed.plan) }
    : isSameInterval(item, changed) || subscription.status === "trialing"
      ? { start: item.current_period_start, end: item.current_period_end }
      : periodAround(now, subscription.billing_cycle_anchor, changed.plan);
  const next = { ...changed, current_period_start: period.start, current_period_end: period.end };
  const target: Stripe.Subscription = {
    ...subscription,
    ...(isReset && { billing_cycle_anchor: now }),
    ...(subscription.cancel_at_period_end && { cancel_at: period.end }),
    items: { ...subscription.items, data: [next] },
  };
  const isProrated = behavior !== "none";
  const credited = isProrated ? credits(account, item, date) : [];
  const debited = isProrated && !isReset ? [debit(account, { subscription: target, item: next, date })] : [];
  const prorations = [...credited, ...debited].filter(({ amount }) => amount !== 0 || behavior === "always_invoice");
  const cycle = isReset ? periodLine(account, next, period, priceOf(next)) : null;
  const isBilledNow = isReset || (behavior === "always_invoice" && prorations.length > 0);
  return { target, prorations, cycle, isBilledNow, past };
}

function only({ items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (!item) throw new Error("A subscription has an item");
  return item;
}

/** The item with its new price and quantity. A new price resets the quantity to 1, unless it is given. */
function changedItem(account: Account, item: Stripe.SubscriptionItem, { items }: PriceChangeParams) {
  if (items === undefined) return item;
  const [itemParams, ...more] = items;
  if (!itemParams || more.length > 0 || itemParams.id !== item.id)
    throw notModelled("subscriptions of several items: name the existing one by its id", "items");
  if (itemParams.price === undefined) return { ...item, quantity: itemParams.quantity ?? item.quantity ?? 1 };
  const { price, interval } = catalog.recurringPrice(account, itemParams.price, "items[0][price]");
  if (price.currency !== item.price.currency) {
    const words = `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${item.price.currency}\`.`;
    throw invalid(words, { param: "items[0][price]" });
  }
  return { ...item, price, plan: planObject(price, interval), quantity: itemParams.quantity ?? 1 };
}

/** @throws ApiFailure 400 if the date of a proration is outside the current period, or nothing is prorated */
function dateOf(account: Account, item: Stripe.SubscriptionItem, params: PriceChangeParams): number {
  const { proration_date: date, proration_behavior: behavior } = params;
  if (date === undefined) return account.now();
  const param = "proration_date";
  if (behavior === "none")
    throw invalid("You cannot specify `proration_date` when `proration_behavior` is `none`.", { param });
  if (date < item.current_period_start || date > item.current_period_end)
    throw invalid("Cannot specify a proration date outside of the current subscription period.", { param });
  return date;
}

type Reset = {
  readonly subscription: Stripe.Subscription;
  readonly item: Stripe.SubscriptionItem;
  readonly changed: Stripe.SubscriptionItem;
  readonly params: PriceChangeParams;
};

/**
 * Whether the billing date becomes today. Stripe documents both that another interval and the first price that is not
 * free reset it, and that nothing but `billing_cycle_anchor` resets it in flexible billing mode.
 *
 * @see https://docs.stripe.com/api/subscriptions/update
 * @see https://docs.stripe.com/billing/subscriptions/billing-mode/compare
 */
function resets(account: Account, { subscription, item, changed, params }: Reset): boolean {
  const anchor = params.billing_cycle_anchor?.type;
  if (anchor === "now" && subscription.status === "trialing")
    throw notModelled("a new billing date during a trial", "billing_cycle_anchor");
  if (anchor !== undefined) return anchor === "now";
  if (account.faults.billing_date === "kept" || subscription.status === "trialing") return false;
  return !isSameInterval(item, changed) || (priceOf(item) === 0 && priceOf(changed) > 0);
}

export const isSameInterval = ({ plan: before }: Stripe.SubscriptionItem, { plan: after }: Stripe.SubscriptionItem) =>
  before.interval === after.interval && before.interval_count === after.interval_count;

function assertBillable({ status, pause_collection: pause }: Stripe.Subscription): void {
  if (status === "unpaid" || status === "paused") throw notModelled(`an invoice for a subscription that is ${status}`);
  if (pause !== null) throw notModelled("an invoice for a change while collection is paused");
}
