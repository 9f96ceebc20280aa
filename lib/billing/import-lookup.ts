import type Stripe from "stripe";
import type { AtStripe, ImportOrder } from "../store/members/import-decision.ts";
import { Refused } from "../store/members/refused.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { isLive, tierOf } from "./snapshot.ts";
import { type Billing, isUnknownCustomer, undefinedIfMissing } from "./stripe.ts";

/** How many customers are looked up in parallel. */
const concurrency = 5;

/**
 * Adds to each order with a Stripe customer the subscription that the member's record will follow, or the reason why
 * the import record is refused.
 */
export async function lookUpSubscriptions(
  billing: Billing,
  { tiers }: OpenCommunity,
  orders: readonly ImportOrder[],
): Promise<ImportOrder[]> {
  const tierIds = new Set(tiers.map(({ id }) => id));
  const completed: ImportOrder[] = [];
  for (let n = 0; n < orders.length; n += concurrency)
    completed.push(
      ...(await Promise.all(
        orders.slice(n, n + concurrency).map(async (order) => {
          const { stripe_customer_id: customer, stripe_subscription_id: id } = order.record;
          if (customer === null) return order;
          return { ...order, atStripe: await findSubscription(billing, { customer, id, tierIds }) };
        }),
      )),
    );
  return completed;
}

type SubscriptionQuery = {
  readonly customer: string;
  /** The subscription that the import record names. */
  readonly id: string | null;
  readonly tierIds: ReadonlySet<number>;
};

async function findSubscription(billing: Billing, { customer, id, tierIds }: SubscriptionQuery): Promise<AtStripe> {
  const [isKnown, subscriptions] = await Promise.all([
    isCustomer(billing, customer),
    id === null ? liveSubscriptions(billing, customer, tierIds) : retrieve(billing, id),
  ]);
  if (!isKnown)
    return new Refused(
      "/stripe_customer_id",
      "unknown_customer",
      "must be a customer that Stripe knows, and not deleted",
    );
  const [first, second] = subscriptions;
  if (second)
    return new Refused(
      "/stripe_subscription_id",
      "ambiguous_subscription",
      `must name one of the customer's ${subscriptions.length} live subscriptions on prices of this community`,
    );
  if (id !== null && first?.customer !== customer)
    return new Refused("/stripe_subscription_id", "unknown_reference", "must be a subscription of the customer");
  return { subscription_id: first?.id ?? null };
}

async function isCustomer(billing: Billing, customer: string): Promise<boolean> {
  const retrieved = await undefinedIfMissing(
    billing((stripe, options) => stripe.customers.retrieve(customer, {}, options)),
  );
  return retrieved !== undefined && !retrieved.deleted;
}

/** The live subscriptions of a customer on prices of a community. */
async function liveSubscriptions(billing: Billing, customer: string, tierIds: ReadonlySet<number>) {
  const subscriptions = await billing((stripe, options) =>
    stripe.subscriptions.list({ customer, limit: 100 }, options).autoPagingToArray({ limit: 1000 }),
  ).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return [];
  });
  return subscriptions.filter((subscription) => isLive(subscription) && tierOf(subscription, tierIds) !== undefined);
}

async function retrieve(billing: Billing, id: string): Promise<Stripe.Subscription[]> {
  const subscription = await undefinedIfMissing(
    billing((stripe, options) => stripe.subscriptions.retrieve(id, {}, options)),
  );
  return subscription ? [subscription] : [];
}
