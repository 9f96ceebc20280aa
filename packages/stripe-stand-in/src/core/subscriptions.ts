import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as catalog from "./catalog.ts";
import { noCard } from "./collection.ts";
import * as customers from "./customers.ts";
import { invalid } from "./failure.ts";
import { paging } from "./lists.ts";
import { words } from "./objects/common.ts";
import { each, flag, integer, merged, metadata, text } from "./parameters.ts";
import { CancelAt, PaymentSettings, update } from "./subscription-changes.ts";
import { isOver } from "./subscription-end.ts";
import { begin } from "./subscription-start.ts";
import { TaxRates, taxOf, taxParams } from "./tax.ts";

export const SubscriptionCreate = v.strictObject({
  customer: text,
  items: v.array(v.strictObject({ ...catalog.itemParams, tax_rates: v.optional(TaxRates) })),
  default_payment_method: v.optional(text),
  payment_behavior: v.optional(v.picklist(["allow_incomplete", "default_incomplete"])),
  trial_period_days: v.optional(integer({ min: 1, max: 730 })),
  cancel_at_period_end: v.optional(flag),
  cancel_at: v.optional(CancelAt),
  description: v.optional(text),
  metadata: v.optional(metadata),
  off_session: v.optional(flag),
  payment_settings: v.optional(PaymentSettings),
  ...taxParams,
});
export const SubscriptionList = v.strictObject({
  ...paging,
  ...each(v.optional(text), "customer", "price"),
  status: v.optional(
    v.picklist(words("active all canceled ended incomplete incomplete_expired past_due paused trialing unpaid")),
  ),
});

type Create = v.InferOutput<typeof SubscriptionCreate>;

export function create(account: Account, params: Create): Stripe.Subscription {
  const customer = customers.named(account, params.customer);
  const { price, interval, quantity } = catalog.onlyItem(account, params.items, "items");
  assertSameCurrency(account, customer.id, price);
  const own = params.default_payment_method && customers.ownCard(account, customer.id, params.default_payment_method);
  const { trial_period_days: days } = params;
  const isPaidNow = params.payment_behavior !== "default_incomplete";
  if (isPaidNow && days === undefined && price.unit_amount !== 0 && !own && !customers.defaultCard(customer))
    throw invalid(noCard, { code: "resource_missing" });

  const begun = begin(account, {
    customer: customer.id,
    price,
    interval,
    quantity,
    trialDays: days ?? null,
    card: own ?? null,
    description: params.description ?? null,
    tax: taxOf(params),
    metadata: merged(null, params.metadata),
    announced: "after_payment",
    isPaidNow,
    savesCard: params.payment_settings?.save_default_payment_method === "on_subscription",
  });
  const { cancel_at_period_end, cancel_at } = params;
  return cancel_at_period_end || cancel_at !== undefined
    ? update(account, begun.id, { cancel_at_period_end, cancel_at })
    : begun;
}

/** @throws ApiFailure if another subscription of the customer is running in another currency */
function assertSameCurrency(account: Account, customer: string, { currency }: Stripe.Price): void {
  const other = [...account.rows("subscription")].find((row) => {
    return row.customer === customer && !isOver(row) && row.currency !== currency;
  });
  if (other)
    throw invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${other.currency}`,
    );
}

/** Whether a list includes a subscription. Without a status, it includes those that are not canceled. */
export const isListed = (subscription: Stripe.Subscription, params: v.InferOutput<typeof SubscriptionList>): boolean =>
  (params.customer === undefined || subscription.customer === params.customer) &&
  (params.price === undefined || subscription.items.data.some(({ price }) => price.id === params.price)) &&
  hasStatus(subscription, params.status);

function hasStatus(subscription: Stripe.Subscription, status: string | undefined): boolean {
  if (status === "all") return true;
  if (status === "ended") return isOver(subscription);
  return status === undefined ? subscription.status !== "canceled" : subscription.status === status;
}
