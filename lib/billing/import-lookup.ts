import type Stripe from "stripe";
import { type AtStripe, type ImportOrder, Refused } from "../store/members/import-decision.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import { isLive, tierOf } from "./snapshot.ts";
import { type Billing, isUnknownCustomer, refusalOf } from "./stripe.ts";

/** How many customers are looked up together. */
const concurrency = 5;

/**
 * The orders with what Stripe holds of the customers that their records name: the subscription that each member follows, or
 * why the record is refused.
 */
export async function lookUp(
  billing: Billing,
  { tiers }: OpenCommunity,
  orders: readonly ImportOrder[],
): Promise<ImportOrder[]> {
  const tierIds = new Set(tiers.map(({ id }) => id));
  const found: ImportOrder[] = [];
  for (let n = 0; n < orders.length; n += concurrency)
    found.push(
      ...(await Promise.all(
        orders.slice(n, n + concurrency).map(async (order) => {
          const { stripe_customer_id: customer, stripe_subscription_id: named } = order.record;
          if (customer === null) return order;
          return { ...order, atStripe: await subscriptionOf(billing, { customer, named, tierIds }) };
        }),
      )),
    );
  return found;
}

type Wanted = {
  readonly customer: string;
  readonly named: string | null;
  readonly tierIds: ReadonlySet<number>;
};

async function subscriptionOf(billing: Billing, { customer, named, tierIds }: Wanted): Promise<AtStripe> {
  const [isKnown, subscriptions] = await Promise.all([
    isCustomer(billing, customer),
    named === null ? liveOn(billing, customer, tierIds) : retrieve(billing, named),
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
  if (named !== null && first?.customer !== customer)
    return new Refused("/stripe_subscription_id", "unknown_reference", "must be a subscription of the customer");
  return { subscription_id: first?.id ?? null };
}

async function isCustomer(billing: Billing, customer: string): Promise<boolean> {
  const found = await billing((stripe, options) => stripe.customers.retrieve(customer, {}, options)).catch(
    (error: unknown) => {
      if (refusalOf(error)?.code !== "resource_missing") throw error;
      return undefined;
    },
  );
  return found !== undefined && !found.deleted;
}

/** The live subscriptions of a customer on prices of a community. */
async function liveOn(billing: Billing, customer: string, tierIds: ReadonlySet<number>) {
  const subscriptions = await billing((stripe, options) =>
    stripe.subscriptions.list({ customer, limit: 100 }, options).autoPagingToArray({ limit: 1000 }),
  ).catch((error: unknown) => {
    if (!isUnknownCustomer(error, customer)) throw error;
    return [];
  });
  return subscriptions.filter((one) => isLive(one) && tierOf(one, tierIds) !== undefined);
}

async function retrieve(billing: Billing, id: string): Promise<Stripe.Subscription[]> {
  return billing((stripe, options) => stripe.subscriptions.retrieve(id, {}, options)).then(
    (subscription) => [subscription],
    (error: unknown) => {
      if (refusalOf(error)?.code !== "resource_missing") throw error;
      return [];
    },
  );
}
