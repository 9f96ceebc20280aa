import type Stripe from "stripe";
import type { Account } from "./account.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { end, isOver, stopCollection } from "./subscription-end.ts";

/** Deletes a customer. Also ends their subscriptions, and the collection of all their open invoices. */
export function remove(account: Account, id: string): Stripe.DeletedCustomer {
  const customer = customers.find(account, id);
  for (const subscription of account.rows("subscription"))
    if (subscription.customer === id && !isOver(subscription)) end(account, subscription, "cancellation_requested");
  stopCollection(account, id);
  const deleted: Stripe.DeletedCustomer = { id, object: "customer", deleted: true };
  account.put("customer", deleted);
  events.emit(account, "customer.deleted", customer);
  return deleted;
}
