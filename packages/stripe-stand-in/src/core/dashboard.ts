import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as catalog from "./catalog.ts";
import { remove as removeCustomer } from "./customer-deletion.ts";
import * as customers from "./customers.ts";
import { Coupon, redeem } from "./discounts.ts";
import * as events from "./events.ts";
import { authenticationRequired, invalid } from "./failure.ts";
import { payElsewhere as settleElsewhere } from "./invoice-changes.ts";
import * as invoices from "./invoices.ts";
import { find } from "./lookup.ts";
import { intentObject } from "./objects/payment.ts";
import { currencyCode, integer, text } from "./parameters.ts";
import * as payments from "./payments.ts";
import { applyPaid } from "./pending-updates.ts";
import { Schedule, scheduleFor } from "./schedules.ts";
import { update } from "./subscription-changes.ts";
import { isOver } from "./subscription-end.ts";
import { Pause, pause, resume } from "./subscription-pause.ts";
import * as subscriptions from "./subscriptions.ts";

export const CustomerDeletion = v.strictObject({ delete: v.literal(true) });
export const OneOffCharge = v.strictObject({
  customer: text,
  amount: integer({ min: 50 }),
  currency: v.optional(currencyCode, "usd"),
});
export const NewSubscription = v.strictObject({ customer: text, price: text, currency: v.optional(text) });
/** A change that takes effect with the next invoice, and not in the current period. */
export const SubscriptionChange = v.strictObject({
  price: v.optional(text),
  quantity: v.optional(integer({ min: 1 })),
  coupon: v.optional(Coupon),
  pause_collection: v.optional(
    v.nullable(v.strictObject({ behavior: v.picklist(["void", "mark_uncollectible", "keep_as_draft"]) })),
  ),
  schedule: v.optional(Schedule),
  paused: v.optional(Pause),
});
export const PaidElsewhere = v.strictObject({ paid_out_of_band: v.literal(true) });

export const deleteCustomer = (account: Account, _: unknown, id: string): Stripe.DeletedCustomer =>
  removeCustomer(account, id);

/** Takes a payment without an invoice. */
export function charge(account: Account, given: v.InferOutput<typeof OneOffCharge>): Stripe.Charge {
  const { amount, currency } = given;
  const customer = customers.named(account, given.customer);
  const intent = intentObject({
    id: account.newId("pi"),
    created: account.now(),
    amount,
    currency,
    customer: customer.id,
    description: null,
  });
  events.create(account, "payment_intent", intent, "payment_intent.created");
  const taken = payments.attempt(account, { intent, customer, card: anyCard(account, customer) });
  if (!taken) throw authenticationRequired("invoice");
  return taken;
}

/** Starts a subscription without metadata, paid with any card of the customer. */
export function subscribe(
  account: Account,
  { customer: id, price, currency }: v.InferOutput<typeof NewSubscription>,
): Stripe.Subscription {
  const customer = customers.named(account, id);
  const wanted = catalog.recurringPrice(account, price, "price").price.currency;
  if (currency !== undefined && currency !== wanted) throw invalid(`The price is in ${wanted}.`, { param: "currency" });
  const items = [{ price }];
  return subscriptions.create(account, {
    customer: id,
    items,
    default_payment_method: anyCard(account, customer),
  });
}

/** Changes a subscription in the dashboard. */
export function changeSubscription(
  account: Account,
  {
    price,
    quantity,
    coupon,
    pause_collection: collection,
    schedule,
    paused: reason,
  }: v.InferOutput<typeof SubscriptionChange>,
  id: string,
): Stripe.Subscription {
  const before = find(account, "subscription", id);
  if (isOver(before)) throw invalid("A canceled subscription cannot be changed.");
  if (reason !== undefined) return reason === null ? resume(account, before) : pause(account, before, reason);
  const [item] = before.items.data;
  if (!item) throw new Error("A subscription has an item");
  const moved =
    price === undefined
      ? before
      : update(account, id, {
          items: [{ id: item.id, price, quantity: item.quantity ?? 1 }],
          proration_behavior: "none",
        });
  const paused =
    collection === undefined
      ? moved
      : { ...moved, pause_collection: collection && { ...collection, resumes_at: null } };
  const items = paused.items.data.map((one) => ({ ...one, ...(quantity !== undefined && { quantity }) }));
  const changed = { ...paused, items: { ...paused.items, data: items } };
  const discounted = coupon ? redeem(account, changed, coupon) : changed;
  const subscription = schedule ? scheduleFor(account, discounted, schedule) : discounted;
  events.replace(account, "subscription", subscription, "customer.subscription.updated");
  return subscription;
}

/** Marks an open invoice as paid outside Stripe. */
export function payElsewhere(account: Account, _: unknown, id: string): Stripe.Invoice {
  const paid = settleElsewhere(account, find(account, "invoice", id));
  if (applyPaid(account, id)) return paid;
  const subscription = account.get("subscription", invoices.subscriptionOf(paid));
  if (subscription && !isOver(subscription) && subscription.latest_invoice === id)
    events.replace(account, "subscription", { ...subscription, status: "active" }, "customer.subscription.updated");
  return paid;
}

/** The customer's default card, or their newest, or a new one. */
function anyCard(account: Account, customer: Stripe.Customer): string {
  const own = [...account.rows("payment_method")].findLast((card) => card.customer === customer.id);
  return customers.defaultCard(customer) ?? own?.id ?? customers.attach(account, "pm_card_visa", customer.id).id;
}
