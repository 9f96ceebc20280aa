import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as collection from "./collection.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import * as invoices from "./invoices.ts";
import { idOf } from "./objects/common.ts";
import type { LineFields } from "./objects/invoice.ts";
import { invoiceItemObject } from "./objects/invoice-item.ts";
import type { PriceChange } from "./price-change.ts";

/** Applies a change of a subscription, and bills it now or with the next invoice. */
export function bill(account: Account, change: PriceChange): Stripe.Subscription {
  const { target, prorations, isBilledNow } = change;
  for (const line of prorations) addPending(account, target, line);
  if (!isBilledNow) return apply(account, target);
  const invoice = issue(account, change);
  apply(account, { ...target, latest_invoice: invoice.id });
  if (invoice.status === "open") {
    assertPayable(account, target);
    collection.pursue(account, invoice);
  }
  return account.get("subscription", target.id) ?? target;
}

/** The invoice of a change, with its prorations. */
function issue(account: Account, { target, cycle, past }: PriceChange): Stripe.Invoice {
  const lines = cycle === null ? [] : [cycle];
  return invoices.issue(account, { subscription: target, reason: "subscription_update", lines, past });
}

/** Stores a changed subscription, which is renewed at the end of its period. */
function apply(account: Account, target: Stripe.Subscription): Stripe.Subscription {
  const before = account.get("subscription", target.id)?.items.data[0]?.current_period_end;
  const end = target.items.data[0]?.current_period_end;
  events.replace(account, "subscription", target, "customer.subscription.updated");
  if (end !== undefined && end !== before) schedule(account, end, { do: "renew", subscription: target.id });
  return target;
}

function addPending(account: Account, { customer }: Stripe.Subscription, line: LineFields): void {
  const item = invoiceItemObject({
    id: account.newId("ii"),
    created: account.now(),
    customer: idOf(customer) ?? "",
    line,
  });
  events.create(account, "invoiceitem", item, "invoiceitem.created");
}

/** @throws ApiFailure 400 if there is no card to pay with */
function assertPayable(account: Account, subscription: Stripe.Subscription): void {
  if (collection.cardFor(account, subscription) === null)
    throw invalid(collection.noCard, { code: "resource_missing" });
}
